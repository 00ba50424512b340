-- Writes the counts of the night.

-- Holds one row with the counts of the night. An entry that is struck off or ended when it is first seen does not
-- count as new. An entry that its registry keeps after its end counts as deleted. `state_hash` is the change of the
-- sum of the state hashes of all entries.
create unlogged table stage.figure as
select
    (select sum(file.read_count) from stage.file) as read_count,
    (select count(*) from stage.reject) as rejected_count,
    added.new_count + change.back_count as new_count,
    change.updated_count,
    vanished.deleted_count + change.struck_off_count as deleted_count,
    vanished.waiting_count,
    added.state_hash + change.state_hash + vanished.state_hash as state_hash
from (
    select
        coalesce(sum(new_stock.entry_change), 0) as new_count,
        coalesce(sum(new_stock.state_hash), 0) as state_hash
    from stage.new_stock
) as added
cross join (
    select
        count(*) filter (where not side.was_counted and side.is_counted)
            as back_count,
        count(*) filter (where side.was_counted and not side.is_counted)
            as struck_off_count,
        count(*) filter (where side.was_counted = side.is_counted) as updated_count,
        coalesce(sum(registry.state_hash(after.content_hash, after.gone_date)), 0)
        - coalesce(sum(registry.state_hash(before.content_hash, before.gone_date)), 0)
            as state_hash
    from stage.before
    join stage.after using (entry_id)
    cross join lateral (
        select
            before.gone_date is null and before.declared_status <> 'DELETED' as was_counted,
            after.gone_date is null and after.declared_status <> 'DELETED' as is_counted
    ) as side
) as change
cross join (
    select
        count(*) filter (where not vanished.waits and vanished.declared_status <> 'DELETED')
            as deleted_count,
        count(*) filter (where vanished.waits) as waiting_count,
        coalesce(
            sum(
                registry.state_hash(vanished.content_hash, night.dump_date)::numeric
                - registry.state_hash(vanished.content_hash, null)
            ) filter (where not vanished.waits),
            0
        ) as state_hash
    from stage.vanished
    cross join stage.night
) as vanished;

update registry.run
set
    read_count = figure.read_count,
    rejected_count = figure.rejected_count,
    -- The first snapshot of a source counts no entry as new.
    new_count = case when night.previous_run_id is null then 0 else figure.new_count end,
    updated_count = figure.updated_count,
    deleted_count = figure.deleted_count,
    waiting_count = figure.waiting_count,
    event_count = (
        select count(*)
        from stage.company_event
        where company_event.event_id is null
    ),
    entry_count = coalesce(previous.entry_count, 0) + figure.new_count - figure.deleted_count,
    state_hash = coalesce(previous.state_hash, 0) + figure.state_hash,
    -- The first dump is the baseline, even after imports on demand.
    is_baseline = night.previous_run_id is null,
    is_full_read = night.is_full_read
from stage.figure
cross join stage.night
left join lateral (
    -- The previous run may be an import on demand since the last dump.
    select before.entry_count, before.state_hash
    from registry.run as before
    where
        before.source = night.source
        and before.state in ('published', 'imported')
    order by before.run_id desc
    limit 1
) as previous on true
where run.run_id = night.run_id;

-- Records the id of the last entry that the run created, which shows the run that first found an entry. A run without
-- new entries takes the last id of the previous run.
update registry.run
set last_entry_id = coalesce(
    (
        select reserved_id.last_id
        from registry.reserved_id
        where reserved_id.run_id = night.run_id and reserved_id.table_name = 'entry'
    ),
    (select max(earlier.last_entry_id) from registry.run as earlier where earlier.source = night.source),
    0
)
from stage.night
where run.run_id = night.run_id;
