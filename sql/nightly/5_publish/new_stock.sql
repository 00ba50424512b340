-- Counts the new entries of each group for stock.sql and statistics.sql, in parallel with the publishing transaction.
-- Parallel workers are off, since other steps of the night run at the same time. A new entry is in no stock if it is
-- struck off or its registry states DELETED. The query reads stage.new_record, since it does not need the joins of
-- stage.new_entry.
set local max_parallel_workers_per_gather = 0;

create unlogged table stage.new_stock as
select
    entry.voivodeship,
    coalesce(activity_recoded.section, activity_division.section) as activity_section,
    entry.legal_form,
    entry.status,
    count(*) filter (where side.is_counted) as entry_change,
    count(*) filter (where side.is_counted and entry.status <> 'DELETED') as new_count,
    0 as ended_count,
    0 as suspended_count,
    0 as resumed_count,
    0 as returned_count,
    sum(registry.state_hash(entry.content_hash, entry.gone_date)) as state_hash
from stage.new_record as entry
cross join lateral (
    select entry.gone_date is null and entry.declared_status <> 'DELETED' as is_counted
) as side
left join registry.activity_recoded
    on (activity_recoded.version, activity_recoded.code) = (entry.activity_version, entry.activity_main)
left join registry.activity_division
    on activity_division.country_code = entry.country_code
    and activity_division.division = left(entry.activity_main, 2)
group by 1, 2, entry.legal_form, entry.status;
