-- Collects the known entries that may be gone; 2_compare/vanished.sql decides. Runs in parallel with
-- reject.sql, and each in one process: to start others costs more than they save in most nights.
set local max_parallel_workers_per_gather = 0;

analyze stage.missing_entry;
analyze stage.deleted_key;

-- One row per known entry that may be gone. When records were skipped, these are the entries whose
-- record of yesterday is missing. When every record of a full dump was read, these are all entries that
-- are not gone yet. A delta lists the entries that are struck off.
create unlogged table stage.absent as
select entry.company_id, entry.entry_id, entry.entry_key
from stage.missing_entry
join registry.entry using (fingerprint)
where
    entry.source = (select night.source from stage.night)
    and entry.gone_date is null
union all
select entry.company_id, entry.entry_id, entry.entry_key
from stage.missing_entry
join registry.entry using (entry_id)
where
    missing_entry.entry_id is not null
    and entry.source = (select night.source from stage.night)
    and entry.gone_date is null
union all
select entry.company_id, entry.entry_id, entry.entry_key
from registry.entry
where
    (select night.is_full_read and night.dump_kind = 'full' from stage.night)
    and entry.source = (select night.source from stage.night)
    and entry.gone_date is null
union all
select entry.company_id, entry.entry_id, entry.entry_key
from stage.deleted_key
join registry.entry using (entry_key)
where
    entry.source = (select night.source from stage.night)
    and entry.gone_date is null;

analyze stage.absent;
