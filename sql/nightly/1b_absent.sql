-- Whose records of yesterday are not there today, or are said to be struck off. Runs beside 1b_reject.sql.

analyze stage.unmet;
analyze stage.deleted_number;

-- One row per entry of a full dump whose record of yesterday is not there today, or that is to be read
-- again; of all entries, when every record was read. All keys are read once, by several processes:
-- Postgres would think that most of them are found.
set local parallel_tuple_cost = 0;

create unlogged table stage.absent as
select
    entry_key.company_id,
    entry_key.entry_id,
    entry_key.entry_key,
    entry_key.file_key,
    entry_key.content_hash
from registry.entry_key
left join stage.unmet using (fingerprint)
where
    (select night.dump_kind from stage.night) = 'full'
    and entry_key.source = (select night.source from stage.night)
    and not entry_key.is_gone
    and (
        unmet.fingerprint is not null
        or entry_key.fingerprint is null
        or (select night.is_full_read from stage.night)
    );

set local parallel_tuple_cost to default;

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
