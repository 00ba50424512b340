-- Writes how the night changed the stock (how many entries stand) and the flow (how many are new,
-- ended, suspended, resumed). Runs in the transaction that publishes. An entry stands unless it is gone
-- or DELETED. An entry that is gone is in no stock.

-- Sums by division first, so that few rows look up their section. An import on demand has no day of its
-- own: its changes have the date infinity until the next dump. A baseline has a stock and no flow.
with movement as (
    -- One row per known entry that may have changed. The status of an entry that is gone is null.
    select
        moved.*,
        coalesce(moved.old_status <> 'DELETED', false) as stood,
        coalesce(moved.new_status <> 'DELETED', false) as stands
    from (
        select
            case when not change.was_gone then before.status end as old_status,
            before.voivodeship as old_voivodeship,
            left(before.activity_main, 2) as old_division,
            before.legal_form as old_legal_form,
            case when not change.is_gone then after.status end as new_status,
            after.voivodeship as new_voivodeship,
            left(after.activity_main, 2) as new_division,
            after.legal_form as new_legal_form
        from stage.change
        join stage.before using (entry_id)
        join stage.after using (entry_id)
        union all
        select
            vanished.status,
            vanished.voivodeship,
            left(vanished.activity_main, 2),
            vanished.legal_form,
            null,
            null,
            null,
            null
        from stage.vanished
        where not vanished.waits
        union all
        select
            due.status,
            due.voivodeship,
            left(due.activity_main, 2),
            due.legal_form,
            'DELETED',
            due.voivodeship,
            left(due.activity_main, 2),
            due.legal_form
        from stage.due
    ) as moved
),

side as (
    select new_stock.* from stage.new_stock
    union all
    select
        movement.new_voivodeship,
        movement.new_division,
        movement.new_legal_form,
        movement.new_status,
        1,
        (movement.stands and not movement.stood)::integer,
        0,
        (
            (movement.old_status, movement.new_status) is not distinct from ('ACTIVE', 'SUSPENDED')
        )::integer,
        (
            (movement.old_status, movement.new_status) is not distinct from ('SUSPENDED', 'ACTIVE')
        )::integer
    from movement
    where movement.new_status is not null
    union all
    select
        movement.old_voivodeship,
        movement.old_division,
        movement.old_legal_form,
        movement.old_status,
        -1,
        0,
        (movement.stood and not movement.stands)::integer,
        0,
        0
    from movement
    where movement.old_status is not null
),

waiting as (
    delete from registry.stock_change
    using stage.night
    where
        stock_change.source = night.source
        and stock_change.stat_date = 'infinity'
        and not night.is_import
    returning stock_change.*
),

tonight as (
    select
        side.voivodeship,
        activity_division.section as activity_section,
        side.legal_form,
        side.status,
        side.entry_change,
        side.new_count,
        side.ended_count,
        side.suspended_count,
        side.resumed_count
    from (
        select
            side.voivodeship,
            side.division,
            side.legal_form,
            side.status,
            sum(side.entry_change) as entry_change,
            sum(side.new_count) as new_count,
            sum(side.ended_count) as ended_count,
            sum(side.suspended_count) as suspended_count,
            sum(side.resumed_count) as resumed_count
        from side
        group by side.voivodeship, side.division, side.legal_form, side.status
    ) as side
    left join registry.activity_division using (division)
    union all
    select
        waiting.voivodeship,
        waiting.activity_section,
        waiting.legal_form,
        waiting.status,
        waiting.entry_change,
        waiting.new_count,
        waiting.ended_count,
        waiting.suspended_count,
        waiting.resumed_count
    from waiting
)

insert into registry.stock_change as known (
    source, stat_date, voivodeship, activity_section, legal_form, status, entry_change, new_count,
    ended_count, suspended_count, resumed_count
)
select
    night.source,
    case when night.is_import then 'infinity' else night.dump_date end,
    tonight.voivodeship,
    tonight.activity_section,
    tonight.legal_form,
    tonight.status,
    sum(tonight.entry_change),
    flow.factor * sum(tonight.new_count),
    flow.factor * sum(tonight.ended_count),
    flow.factor * sum(tonight.suspended_count),
    flow.factor * sum(tonight.resumed_count)
from tonight
cross join stage.night
cross join lateral (
    select (night.is_import or night.previous_run_id is not null)::integer as factor
) as flow
group by
    night.source, night.is_import, night.dump_date, flow.factor, tonight.voivodeship,
    tonight.activity_section, tonight.legal_form, tonight.status
having
    sum(tonight.entry_change) <> 0
    or sum(
        tonight.new_count + tonight.ended_count + tonight.suspended_count + tonight.resumed_count
    ) > 0
on conflict on constraint stock_change_key do update
set
    entry_change = known.entry_change + excluded.entry_change,
    new_count = known.new_count + excluded.new_count,
    ended_count = known.ended_count + excluded.ended_count,
    suspended_count = known.suspended_count + excluded.suspended_count,
    resumed_count = known.resumed_count + excluded.resumed_count;
