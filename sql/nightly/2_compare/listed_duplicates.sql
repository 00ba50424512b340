-- Compares yesterday with today: finds the entries that the registry lists as duplicates of other entries. The
-- companies of duplicates are linked by 3_companies/listed_duplicates.sql. The table stage.side_row has all pairs of
-- duplicates since the registry began: the removed key (old_key) and the remaining key (new_key).

-- Holds one row per entry that is gone because another entry has replaced it, with the keys of the two entries.
create unlogged table stage.replaced as
select
    vanished.company_id, vanished.entry_id, vanished.entry_key as old_key,
    side_row.fields ->> 'new_key' as new_key
from stage.side_row
join stage.vanished on vanished.entry_key = side_row.fields ->> 'old_key'
cross join stage.night
where
    exists (
        select from stage.entry
        where entry.entry_key = side_row.fields ->> 'new_key' and entry.reason is null
    )
    or exists (
        select from registry.entry
        where
            entry.source = night.source
            and entry.entry_key = side_row.fields ->> 'new_key'
            and entry.gone_date is null
    );

analyze stage.replaced;

-- A listed duplicate is gone at once, even if a rejected record may belong to it.
update stage.vanished
set waits = false
where vanished.entry_id in (select replaced.entry_id from stage.replaced);
