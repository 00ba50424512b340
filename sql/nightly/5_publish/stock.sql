-- Writes how the night changed the stock (how many entries stand) and the flow (how many are new,
-- ended, suspended, resumed). An entry stands unless it is gone or DELETED. An entry that is gone is in
-- no stock.

-- The changes of an import on demand have the date infinity until the next dump takes them over.
update registry.stock_change
set stat_date = night.dump_date
from stage.night
where
    stock_change.source = night.source
    and stock_change.stat_date = 'infinity'
    and not night.is_import;

with old_state as (
    -- One row per known entry that may have changed, and was not gone.
    select before.entry_id, before.voivodeship, before.activity_main, before.legal_form, before.status
    from stage.before
    where before.gone_date is null
    union all
    select due.entry_id, due.voivodeship, due.activity_main, due.legal_form, due.status
    from stage.due
    union all
    select
        vanished.entry_id,
        vanished.voivodeship,
        vanished.activity_main,
        vanished.legal_form,
        vanished.status
    from stage.vanished
    where not vanished.waits
),

new_state as (
    -- One row per such entry that is not gone now.
    select after.entry_id, after.voivodeship, after.activity_main, after.legal_form, after.status
    from stage.after
    where after.gone_date is null
    union all
    select due.entry_id, due.voivodeship, due.activity_main, due.legal_form, due.reached_status
    from stage.due
),

movement as (
    select new_stock.* from stage.new_stock
    union all
    select side.*
    from old_state
    full join new_state using (entry_id)
    cross join lateral (
        select
            coalesce(old_state.status <> 'DELETED', false) as stood,
            coalesce(new_state.status <> 'DELETED', false) as stands,
            concat_ws(' ', old_state.status, new_state.status) as statuses
    ) as change
    cross join lateral (
        values
        (
            new_state.voivodeship, left(new_state.activity_main, 2), new_state.legal_form,
            new_state.status, 1, (change.stands and not change.stood)::integer, 0,
            (change.statuses = 'ACTIVE SUSPENDED')::integer,
            (change.statuses = 'SUSPENDED ACTIVE')::integer
        ),
        (
            old_state.voivodeship, left(old_state.activity_main, 2), old_state.legal_form,
            old_state.status, -1, 0, (change.stood and not change.stands)::integer, 0, 0
        )
    ) as side (
        voivodeship, division, legal_form, status, entry_change, new_count, ended_count,
        suspended_count, resumed_count
    )
    where side.status is not null
)

insert into registry.stock_change as known (
    source, stat_date, voivodeship, activity_section, legal_form, status, entry_change, new_count,
    ended_count, suspended_count, resumed_count
)
select
    night.source,
    case when night.is_import then 'infinity' else night.dump_date end,
    movement.voivodeship,
    activity_division.section,
    movement.legal_form,
    movement.status,
    sum(movement.entry_change),
    sum(movement.new_count),
    sum(movement.ended_count),
    sum(movement.suspended_count),
    sum(movement.resumed_count)
from movement
cross join stage.night
left join registry.activity_division using (division)
group by 1, 2, 3, 4, 5, 6
having
    sum(movement.entry_change) <> 0
    or sum(
        movement.new_count + movement.ended_count + movement.suspended_count
        + movement.resumed_count
    ) > 0
on conflict on constraint stock_change_key do update
set
    entry_change = known.entry_change + excluded.entry_change,
    new_count = known.new_count + excluded.new_count,
    ended_count = known.ended_count + excluded.ended_count,
    suspended_count = known.suspended_count + excluded.suspended_count,
    resumed_count = known.resumed_count + excluded.resumed_count;

-- A baseline has a stock and no flow.
update registry.stock_change
set
    new_count = 0,
    ended_count = 0,
    suspended_count = 0,
    resumed_count = 0
from stage.night
where
    night.previous_run_id is null
    and stock_change.source = night.source
    and stock_change.stat_date = night.dump_date;
