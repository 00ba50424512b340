-- Writes the events about states: suspended, resumed, closed, struck off, and reopened (an entry is back or no longer
-- ended). Each event type has its own query, so that its values are computed only if needed. A status that changes
-- together with its date makes one event. fields.sql writes the events about cancelled numbers (NIP).
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id,
    after.entry_id,
    event.*
from stage.before
join stage.after using (entry_id)
cross join stage.night
cross join lateral (
    select
        'COMPANY_SUSPENDED' as event_type,
        null as old_value,
        coalesce(after.suspension_date, night.dump_date)::text as new_value
    where
        before.gone_date is null
        and before.status = 'ACTIVE'
        and after.status = 'SUSPENDED'
    union all
    select
        'COMPANY_RESUMED',
        before.suspension_date::text,
        coalesce(after.resumption_date, night.dump_date)::text
    where
        before.gone_date is null
        and before.status = 'SUSPENDED'
        and after.status = 'ACTIVE'
    union all
    select
        'COMPANY_CLOSED_DATE',
        before.end_date::text,
        coalesce(after.end_date, night.dump_date)::text
    where
        after.end_date is not null
        and before.end_date is distinct from after.end_date
        -- An end date that the registry states only after the end makes no event.
        and not (before.end_date is null and before.declared_status = 'DELETED')
        -- An end without a stated date gets the date of the dump.
        or after.end_date is null
        and after.declared_status = 'DELETED'
        and before.declared_status <> 'DELETED'
    union all
    select
        'COMPANY_STRUCK_OFF',
        before.status,
        coalesce(after.gone_date, after.struck_off_date)::text
    where
        before.gone_date is null
        and case
            -- An entry that another entry has replaced is not struck off.
            when after.entry_id in (select vanished.entry_id from stage.vanished where not vanished.waits)
                then after.entry_id not in (select replaced.entry_id from stage.replaced)
            -- An announced strike-off makes its event on the day of the strike-off.
            else after.struck_off_date <= night.dump_date
            and (before.struck_off_date is null or before.status <> 'DELETED')
        end
    union all
    select
        'COMPANY_REOPENED',
        coalesce(before.gone_date, before.struck_off_date, before.end_date)::text,
        null
    where
        after.gone_date is null
        and (
            before.gone_date is not null
            or (
                before.struck_off_date is not null
                and before.status = 'DELETED'
                and after.struck_off_date is null
            )
            or (before.end_date is not null and after.end_date is null)
            or (before.declared_status = 'DELETED' and after.declared_status <> 'DELETED')
        )
) as event;
