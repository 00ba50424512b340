-- Known entries whose record of yesterday is not there today, or that a delta lists as struck off. Runs
-- in parallel with reject.sql.

analyze stage.missing_entry;
analyze stage.deleted_number;

-- One row per entry of a full dump whose record of yesterday is not there today. Only these rows are
-- visited.
create unlogged table stage.absent as
select
    entry.company_id,
    entry.entry_id,
    entry.entry_key,
    entry.file_key,
    entry.content_hash
from stage.missing_entry
join registry.entry
    on entry.ctid = missing_entry.place
    and coalesce(entry.fingerprint, 0) = missing_entry.fingerprint
where entry.source = (select night.source from stage.night);

-- … of all entries, when every record was read …
insert into stage.absent
select
    entry.company_id,
    entry.entry_id,
    entry.entry_key,
    entry.file_key,
    entry.content_hash
from registry.entry
where
    (select night.is_full_read and night.dump_kind = 'full' from stage.night)
    and entry.source = (select night.source from stage.night)
    and entry.gone_date is null;

-- … and of a delta, in which an absent record means nothing, the entries that it lists as struck off.
insert into stage.absent
select
    entry.company_id,
    entry.entry_id,
    entry.entry_key,
    entry.file_key,
    entry.content_hash
from (
    select entry.company_id, entry.entry_id
    from stage.deleted_number
    join registry.entry on entry.regon9 = deleted_number.number
    union
    select entry.company_id, entry.entry_id
    from stage.deleted_number
    join registry.entry on entry.krs = deleted_number.number
    union
    select entry.company_id, entry.entry_id
    from stage.deleted_number
    join registry.entry on entry.entry_key = deleted_number.number
) as deleted
join registry.entry using (company_id, entry_id)
where
    entry.source = (select night.source from stage.night)
    and entry.gone_date is null;

analyze stage.absent;
