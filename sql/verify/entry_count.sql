-- Compares the counts of all runs with each other and with the entries.
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
    published.run_id,
    registry.figure(published.entry_count),
    registry.figure(published.previous_entry_count),
    registry.figure(published.new_count),
    registry.figure(published.deleted_count)
) as finding
from published
where
    not published.is_baseline
    and published.entry_count is distinct from
    published.previous_entry_count + published.new_count - published.deleted_count
union all
select format(
    'run %s counts %s entries, there are %s',
    published.run_id,
    registry.figure(published.entry_count),
    registry.figure(found.row_count)
)
from published
cross join (
    select count(*) as row_count
    from registry.entry
    where
        entry.source = $1
        and entry.gone_date is null
        and entry.declared_status <> 'DELETED'
) as found
where
    published.age = 1
    and published.entry_count <> found.row_count
union all
select format(
    'run %s counts %s events, there are %s',
    published.run_id,
    registry.figure(published.event_count),
    registry.figure(found.row_count)
)
from published
cross join lateral (
    select count(*) as row_count
    from registry.event
    where event.source = $1 and event.event_date = published.dump_date
) as found
where
    published.state = 'published'
    and published.event_count <> found.row_count;
