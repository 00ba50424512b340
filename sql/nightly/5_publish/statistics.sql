-- Writes the counts of the night, and advances the last ids.

-- One row: the counts of the night. An entry that is struck off when it is first seen does not count as
-- new. state_hash: the change of the sum of the state hashes of all entries.
create unlogged table stage.figure as
select
    (select sum(file.read_count) from stage.file) as read_count,
    (select count(*) from stage.reject) as rejected_count,
    added.row_count as new_row_count,
    added.new_count + change.back_count as new_count,
    change.updated_count,
    vanished.deleted_count + change.struck_off_count as deleted_count,
    vanished.waiting_count,
    added.state_hash + change.state_hash + vanished.state_hash as state_hash
from (
    select
        count(*) filter (where new_entry.gone_date is null) as new_count,
        count(*) as row_count,
        coalesce(sum(registry.state_hash(new_entry.content_hash, new_entry.gone_date)), 0)
            as state_hash
    from stage.new_entry
) as added
cross join (
    select
        count(*) filter (where before.gone_date is not null and after.gone_date is null)
            as back_count,
        count(*) filter (where before.gone_date is null and after.gone_date is not null)
            as struck_off_count,
        count(*) filter (where (before.gone_date is null) = (after.gone_date is null))
            as updated_count,
        coalesce(sum(registry.state_hash(after.content_hash, after.gone_date)), 0)
        - coalesce(sum(registry.state_hash(before.content_hash, before.gone_date)), 0)
            as state_hash
    from stage.before
    join stage.after using (entry_id)
) as change
cross join (
    select
        count(*) filter (where not vanished.waits) as deleted_count,
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
    -- The first snapshot of a source counts nothing as new.
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
    is_full_read = night.is_full_read,
    -- False where the night takes over what an older version imported on demand.
    counts_moves = not exists (
        select from registry.run as imported
        where
            imported.source = night.source
            and imported.state = 'imported'
            and imported.run_id > night.previous_run_id
            and not imported.counts_moves
    )
from stage.figure
cross join stage.night
left join lateral (
    -- An import on demand since the last dump counts too.
    select before.entry_count, before.state_hash
    from registry.run as before
    where
        before.source = night.source
        and before.state in ('published', 'imported')
    order by before.run_id desc
    limit 1
) as previous on true
where run.run_id = night.run_id;

update registry.last_id
set last_id = case last_id.table_name
    when 'entry' then last_id.last_id + (
        select case
            when night.is_baseline then (select sum(file.line_count) from stage.file)
            else (select count(*) from stage.new_id)
        end
        from stage.night
    )
    when 'snapshot' then last_id.last_id + 1
    else last_id.last_id + (select run.event_count from registry.run join stage.night using (run_id))
end
where
    last_id.table_name in ('event', 'snapshot')
    or (select figure.new_count > 0 or figure.new_row_count > 0 from stage.figure);

-- Records the last id of the run: it tells which run found an entry first.
update registry.run
set last_entry_id = last_id.last_id
from stage.night
cross join registry.last_id
where
    run.run_id = night.run_id
    and last_id.table_name = 'entry';
