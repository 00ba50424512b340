-- Yesterday against today: who is not there any more.

analyze stage.deleted_number;

-- One row per entry of a full dump whose record of yesterday is not there today. Each way to be one
-- is a query of its own, so that none of them is a condition on every entry.
create unlogged table stage.absent as
select
    entry_key.company_id,
    entry_key.entry_id,
    entry_key.entry_key,
    entry_key.file_key,
    entry_key.content_hash
from registry.entry_key
join stage.unmet using (fingerprint)
cross join stage.night
where
    night.dump_kind = 'full'
    and not night.is_full_read
    and entry_key.source = night.source
union all
select
    entry_key.company_id,
    entry_key.entry_id,
    entry_key.entry_key,
    entry_key.file_key,
    entry_key.content_hash
from registry.entry_key
cross join stage.night
where
    night.dump_kind = 'full'
    and not night.is_full_read
    and entry_key.source = night.source
    and entry_key.fingerprint is null
    and not entry_key.is_gone
union all
select
    entry_key.company_id,
    entry_key.entry_id,
    entry_key.entry_key,
    entry_key.file_key,
    entry_key.content_hash
from registry.entry_key
cross join stage.night
where
    night.dump_kind = 'full'
    and night.is_full_read
    and entry_key.source = night.source
    and not entry_key.is_gone;

-- … and of a delta, which says nothing by what it does not hold, those that it says are struck off.
insert into stage.absent
select
    entry_key.company_id,
    entry_key.entry_id,
    entry_key.entry_key,
    entry_key.file_key,
    entry_key.content_hash
from (
    select entry.source, entry.entry_key
    from stage.deleted_number
    join registry.entry on entry.regon9 = deleted_number.number
    union
    select entry.source, entry.entry_key
    from stage.deleted_number
    join registry.entry on entry.krs = deleted_number.number
    union
    select night.source, deleted_number.number
    from stage.deleted_number
    cross join stage.night
) as deleted
cross join stage.night
join registry.entry_key
    on entry_key.source = deleted.source
    and entry_key.entry_key = deleted.entry_key
where
    entry_key.source = night.source
    and not entry_key.is_gone;

analyze stage.absent;

-- One row per entry that no record of today speaks of. `waits`: a record that could not be read may
-- have been its own, so that nothing is said of it until the next clean dump; not so where a list says
-- that it is struck off, which no later delta says again. `is_unreadable`: one holds its number, so
-- that whoever else shows this number is not the entry with a new identity.
create unlogged table stage.vanished as
with absent as (
    select absent.*
    from stage.absent
    cross join stage.night
    where not exists (
        -- A rejected record counts, where its key could be read; but not against a list of deletions.
        select from stage.entry
        where
            entry.entry_key = absent.entry_key
            and (entry.reason is null or night.dump_kind = 'full')
    )
),

unreadable_file as (
    select distinct file.file_key
    from stage.reject
    join stage.file using (file_no)
    where not reject.is_repeat
),

unreadable_number as (
    -- The row may have moved to another file before it became unreadable.
    select distinct match.part[1] as number
    from stage.reject
    cross join lateral regexp_matches(reject.raw, '[0-9]{9,10}', 'g') as match (part)
    where not reject.is_repeat
    union
    -- The REGON of a company stands at the beginning of those of its units.
    select match.part[1]
    from stage.reject
    cross join lateral regexp_matches(reject.raw, '\m([0-9]{9})[0-9]{5}\M', 'g') as match (part)
    where not reject.is_repeat
)

select
    entry.company_id,
    entry.entry_id,
    absent.entry_key,
    absent.file_key,
    absent.content_hash,
    entry.nip,
    entry.regon9,
    entry.krs,
    entry.entity_type,
    entry.surname,
    entry.first_name,
    entry.name,
    entry.start_date,
    own.is_unreadable,
    night.dump_kind = 'full'
    and (
        own.is_unreadable
        or absent.file_key in (select unreadable_file.file_key from unreadable_file)
        -- What was asked for on demand may be younger than the dump.
        or entry.changed_date >= night.dump_date
    ) as waits
from absent
cross join stage.night
join registry.entry
    on entry.company_id = absent.company_id
    and entry.entry_id = absent.entry_id
cross join lateral (
    select (
        entry.nip in (select unreadable_number.number from unreadable_number)
        or entry.regon9 in (select unreadable_number.number from unreadable_number)
        or entry.krs in (select unreadable_number.number from unreadable_number)
    ) is true as is_unreadable
) as own;

analyze stage.vanished;
