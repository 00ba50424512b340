-- Compares the counts of each run with those of the run before it, and with the stored entries and events.
with published as (
    select
        run.*,
        lag(run.entry_count) over (order by run.run_id) as previous_entry_count,
        row_number() over (order by run.run_id desc) as age
    from registry.run
    where run.source = $1::text and run.state in ('published', 'imported')
)

select format(
    'run %s: %s entries, where %s + %s new - %s deleted are expected',
    run_id, registry.figure(entry_count), registry.figure(previous_entry_count),
    registry.figure(new_count), registry.figure(deleted_count)
) as finding
from published
where
    not is_baseline
    and entry_count is distinct from previous_entry_count + new_count - deleted_count
union all
select format(
    'run %s counts %s %s, there are %s',
    published.run_id, registry.figure(counted.stated), counted.kind, registry.figure(counted.found)
)
from published
cross join lateral (
    select 'entries', published.entry_count, count(*)
    from registry.entry
    where
        published.age = 1
        and entry.source = $1
        and entry.gone_date is null
        and entry.declared_status <> 'DELETED'
    having published.age = 1
    union all
    select 'events', published.event_count, count(*)
    from registry.event
    where event.source = $1 and event.event_date = published.dump_date
    having published.state = 'published'
) as counted (kind, stated, found)
where counted.stated <> counted.found;
