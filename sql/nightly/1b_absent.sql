-- Whose records of yesterday are not there today, or are said to be struck off. Runs beside 1b_reject.sql.

create unique index on stage.unmet (fingerprint);
analyze stage.unmet;
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
