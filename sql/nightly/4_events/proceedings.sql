-- Turns changed bankruptcies and restructurings into events. Proceedings that the registry withdraws count as ended.
-- Proceedings whose end the registry withdraws start again. A missing date that becomes known later makes no event. If
-- new proceedings replace open proceedings, the end event states the end date of the former proceedings.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id,
    after.entry_id,
    event.*
from stage.before
join stage.after using (entry_id)
cross join lateral (
    values
    (
        'COMPANY_BANKRUPTCY',
        before.bankruptcy_state, before.bankruptcy_start_date, before.bankruptcy_end_date,
        after.bankruptcy_state, after.bankruptcy_start_date, after.bankruptcy_end_date
    ),
    (
        'COMPANY_RESTRUCTURING',
        before.restructuring_state, before.restructuring_start_date,
        before.restructuring_end_date,
        after.restructuring_state, after.restructuring_start_date, after.restructuring_end_date
    )
) as proceeding (kind, old_state, old_start, old_end, new_state, new_start, new_end)
cross join lateral (
    select coalesce(
        (proceeding.old_state, proceeding.new_state) = ('OPEN', 'OPEN')
        and proceeding.old_start <> proceeding.new_start
        and proceeding.new_end <> coalesce(proceeding.old_end, 'infinity'),
        false
    ) as has_ended
) as replaced
cross join lateral (
    select
        proceeding.kind || '_STARTED' as event_type,
        null as old_value,
        proceeding.new_start::text as new_value
    where
        proceeding.new_state is not null
        and (
            proceeding.old_state is null
            or proceeding.old_start < proceeding.new_start
            or proceeding.old_start > proceeding.new_start and not replaced.has_ended
            or proceeding.old_state = 'ENDED' and proceeding.new_state = 'OPEN'
        )
    union all
    select
        proceeding.kind || '_ENDED',
        case
            when replaced.has_ended then proceeding.old_start
            else coalesce(proceeding.new_start, proceeding.old_start)
        end::text,
        proceeding.new_end::text
    where case
        when proceeding.new_state = 'ENDED' then
            proceeding.old_state is distinct from 'ENDED'
            or proceeding.old_end <> proceeding.new_end
        else
            replaced.has_ended or proceeding.old_state = 'OPEN' and proceeding.new_state is null
    end
) as event;
