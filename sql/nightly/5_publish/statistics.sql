-- Writes the counts of the night to registry.run. A new entry is not counted in `new_count` if it is already struck
-- off, or if its registry states the status DELETED. A known entry that leaves the registry or gets its status DELETED
-- is counted in `deleted_count`. `state_hash` is the change in the sum of the state hashes of all entries.
with change as (
    -- Lists the changed entries. `is_read` is true if the change comes from a record of today. `is_read` is false for a
    -- gone entry, which has no record, and for an entry that reaches an announced date.
    select
        before.gone_date is null and before.declared_status <> 'DELETED' as was_counted,
        after.gone_date is null and after.declared_status <> 'DELETED' as is_counted,
        after.said_run_id = night.run_id and after.said_file_no is not null as is_read,
        registry.state_hash(after.content_hash, after.gone_date)::numeric
        - registry.state_hash(before.content_hash, before.gone_date) as state_hash
    from stage.before
    join stage.after using (entry_id)
    cross join stage.night
),

changed as (
    select
        count(*) filter (where change.is_counted and not change.was_counted) as back_count,
        count(*) filter (where change.was_counted and not change.is_counted) as deleted_count,
        count(*) filter (where change.is_read and change.was_counted = change.is_counted)
            as updated_count,
        coalesce(sum(change.state_hash), 0) as state_hash
    from change
),

added as (
    select
        coalesce(sum(new_stock.entry_change), 0) as new_count,
        coalesce(sum(new_stock.state_hash), 0) as state_hash
    from stage.new_stock
)

update registry.run
set
    read_count = (select sum(file.read_count) from stage.file),
    rejected_count = (select count(*) from stage.reject),
    -- The first snapshot of a source counts no entry as new.
    new_count = case
        when night.previous_run_id is null then 0
        else added.new_count + changed.back_count
    end,
    updated_count = changed.updated_count,
    deleted_count = changed.deleted_count,
    waiting_count = (select count(*) from stage.vanished where vanished.waits),
    event_count = coalesce(night.last_event_id - night.first_event_id + 1, 0),
    entry_count = coalesce(previous.entry_count, 0)
    + added.new_count + changed.back_count - changed.deleted_count,
    state_hash = coalesce(previous.state_hash, 0) + added.state_hash + changed.state_hash,
    -- The first dump is the baseline, even if entries were imported on demand before.
    is_baseline = night.previous_run_id is null,
    -- `last_entry_id` shows which run first contained an entry. A run without new entries keeps the last id.
    last_entry_id = coalesce(
        (
            select reserved_id.last_id
            from registry.reserved_id
            where reserved_id.run_id = night.run_id and reserved_id.table_name = 'entry'
        ),
        previous.last_entry_id,
        0
    )
from stage.night
cross join changed
cross join added
-- The previous run may be an import on demand after the last dump.
left join registry.run as previous on previous.run_id = registry.newest_run(night.source)
where run.run_id = night.run_id;
