-- Writes the new events of the night in a stable order, with the ids that nightly.ts reserved. `event_date` is the day
-- of the dump. Events about proceedings that begin and end in one night are ordered by the dates that they state.
insert into registry.event (
    company_id, event_id, entry_id, event_date, source, event_type, old_value, new_value
)
select
    company_event.company_id,
    night.first_event_id - 1 + row_number() over (
        order by
            company_event.company_id, company_event.entry_id,
            regexp_replace(company_event.event_type, '_(STARTED|ENDED)$', '') collate "C",
            case when company_event.event_type ~ '_(STARTED|ENDED)$' then company_event.new_value end,
            company_event.event_type ~ '_ENDED$',
            company_event.event_type collate "C", company_event.old_value collate "C",
            company_event.new_value collate "C"
    ),
    company_event.entry_id, night.dump_date, night.source, company_event.event_type,
    company_event.old_value, company_event.new_value
from stage.company_event
cross join stage.night
where company_event.event_id is null;

-- Updates the companies with a changed entry or a new link; new_companies.sql inserts new single-entry companies.
select registry.refresh_companies(
    array(
        select after.company_id from stage.after
        union
        select component.label from stage.component
    )
);
