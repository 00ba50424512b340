-- What the night did, in figures, and what it leaves to the next one.

-- One row per entry whose published state the night took away (-1) or put in its place (1).
create unlogged table stage.state_change as
select
    1 as sign,
    registry.state_hash(entry.entry_key, entry.content_hash, null) as state_hash
from stage.new_entry
join stage.entry using (file_no, line)
union all
select
    -1,
    registry.state_hash((change.old).entry_key, change.old_content_hash, (change.old).gone_date)
from stage.change
union all
select
    1,
    registry.state_hash((change.new).entry_key, (change.new).content_hash, null)
from stage.change
union all
select
    -1,
    registry.state_hash(vanished.entry_key, vanished.content_hash, null)
from stage.vanished
where not vanished.waits
union all
select
    1,
    registry.state_hash(vanished.entry_key, vanished.content_hash, night.dump_date)
from stage.vanished
cross join stage.night
where not vanished.waits;

with figure as (
    select
        (select sum(file.read_count) from stage.file) as read_count,
        (select count(*) from stage.reject) as rejected_count,
        (select count(*) from stage.new_entry)
        + (select count(*) from stage.change where change.was_gone) as new_count,
        (select count(*) from stage.change where not change.was_gone) as updated_count,
        (select count(*) from stage.vanished where not vanished.waits) as deleted_count,
        (select count(*) from stage.vanished where vanished.waits) as waiting_count,
        (
            select coalesce(sum(state_change.sign * state_change.state_hash::numeric), 0)
            from stage.state_change
        ) as state_hash
)

update registry.run
set
    read_count = figure.read_count,
    accepted_count = figure.read_count - figure.rejected_count,
    rejected_count = figure.rejected_count,
    -- The first snapshot of a source counts nothing as new.
    new_count = case when night.is_baseline then 0 else figure.new_count end,
    updated_count = figure.updated_count,
    deleted_count = figure.deleted_count,
    waiting_count = figure.waiting_count,
    event_count = (
        select count(*)
        from registry.event
        where event.event_date = night.dump_date and event.source = night.source
    ),
    entry_count = coalesce(previous.entry_count, 0) + figure.new_count - figure.deleted_count,
    state_hash = coalesce(previous.state_hash, 0) + figure.state_hash,
    is_baseline = night.is_baseline,
    is_full_read = night.is_full_read
from figure
cross join stage.night
left join registry.run as previous on previous.run_id = night.previous_run_id
where run.run_id = night.run_id;

insert into registry.daily_stat (
    source, stat_date, new_count, updated_count, deleted_count, entry_count, is_baseline
)
select
    run.source,
    run.dump_date,
    run.new_count,
    run.updated_count,
    run.deleted_count,
    run.entry_count,
    run.is_baseline
from stage.night
join registry.run using (run_id);
