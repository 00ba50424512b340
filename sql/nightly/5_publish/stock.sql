-- Writes the changes of the stock and the flow of entries. The stock counts the entries in the registry by status; the
-- flow counts new, ended, suspended, resumed and moved entries. An entry stands unless it is gone or has the status
-- DELETED. An entry that is gone, or for which the registry states the status DELETED, is in no stock.

-- Gives a date to the changes from imports on demand, whose `stat_date` is infinity until the next dump.
update registry.stock_change
set stat_date = night.dump_date
from stage.night
where
    stock_change.source = night.source
    and stock_change.stat_date = 'infinity'
    and not night.is_import;

update registry.stock_move
set stat_date = night.dump_date
from stage.night
where
    stock_move.source = night.source
    and stock_move.stat_date = 'infinity'
    and not night.is_import;

with state as (
    -- Lists the old and the new state of each changed entry. The state of an entry that is in no stock is left out.
    select
        side.is_new, side.entry_id, side.voivodeship, side.activity_version, side.activity_main,
        side.legal_form, side.status,
        coalesce(activity_recoded.section, activity_division.section) as section
    from (
        select false as is_new, before.* from stage.before
        union all
        select true, after.* from stage.after
    ) as side
    left join registry.activity_recoded
        on (activity_recoded.version, activity_recoded.code) = (side.activity_version, side.activity_main)
    left join registry.activity_division
        on activity_division.country_code = side.country_code
        and activity_division.division = left(side.activity_main, 2)
    where side.gone_date is null and side.declared_status <> 'DELETED'
),

old_state as (select state.* from state where not state.is_new),

new_state as (select state.* from state where state.is_new),

-- Records the moves between groups. An entry that moves and is suspended counts as suspended in its new group.
move as (
    insert into registry.stock_move (
        source, stat_date, status, is_recoded, from_voivodeship, from_activity_section, from_legal_form,
        to_voivodeship, to_activity_section, to_legal_form, entry_count
    )
    select
        night.source,
        case when night.is_import then 'infinity' else night.dump_date end,
        old_state.status,
        (old_state.voivodeship, old_state.legal_form)
        is not distinct from (new_state.voivodeship, new_state.legal_form)
        and activity_recoding.from_code is not null,
        old_state.voivodeship, old_state.section, old_state.legal_form, new_state.voivodeship,
        new_state.section, new_state.legal_form,
        count(*)
    from old_state
    join new_state using (entry_id)
    cross join stage.night
    left join registry.activity_recoding
        on activity_recoding.from_version = old_state.activity_version
        and activity_recoding.from_code = old_state.activity_main
        and activity_recoding.to_version = new_state.activity_version
        and activity_recoding.to_code = new_state.activity_main
    where
        old_state.status <> 'DELETED'
        and new_state.status <> 'DELETED'
        and (old_state.voivodeship, old_state.section, old_state.legal_form)
        is distinct from (new_state.voivodeship, new_state.section, new_state.legal_form)
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
),

movement as (
    select new_stock.*
    from stage.new_stock
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
            new_state.voivodeship, new_state.section, new_state.legal_form,
            new_state.status, 1, (change.stands and not change.stood)::integer, 0,
            (change.statuses = 'ACTIVE SUSPENDED')::integer,
            (change.statuses = 'SUSPENDED ACTIVE')::integer,
            -- A known entry that begins to stand again counts as a return.
            (change.stands and not change.stood)::integer, 0
        ),
        (
            old_state.voivodeship, old_state.section, old_state.legal_form,
            old_state.status, -1, 0, (change.stood and not change.stands)::integer, 0, 0, 0, 0
        )
    ) as side (
        voivodeship, section, legal_form, status, entry_change, new_count, ended_count,
        suspended_count, resumed_count, returned_count, state_hash
    )
    where side.status is not null
)

insert into registry.stock_change as known (
    source, stat_date, voivodeship, activity_section, legal_form, status, entry_change, new_count,
    ended_count, suspended_count, resumed_count, returned_count
)
select
    night.source,
    case when night.is_import then 'infinity' else night.dump_date end,
    movement.voivodeship, movement.activity_section, movement.legal_form, movement.status,
    sum(movement.entry_change),
    sum(movement.new_count),
    sum(movement.ended_count),
    sum(movement.suspended_count),
    sum(movement.resumed_count),
    sum(movement.returned_count)
from movement
cross join stage.night
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
    resumed_count = known.resumed_count + excluded.resumed_count,
    returned_count = known.returned_count + excluded.returned_count;

-- Clears the flow of a baseline, which has only a stock.
update registry.stock_change
set (new_count, ended_count, suspended_count, resumed_count, returned_count) = (0, 0, 0, 0, 0)
from stage.night
where
    night.previous_run_id is null
    and (stock_change.source, stock_change.stat_date) = (night.source, night.dump_date);

delete from registry.stock_move
using stage.night
where
    night.previous_run_id is null
    and (stock_move.source, stock_move.stat_date) = (night.source, night.dump_date);
