-- The events of the night get their numbers, and companies that turned out to be one are joined.

-- Events in a stable order, one of each kind: two entries of a company that changed alike are told
-- once.
insert into registry.event (
    company_id, event_id, entry_id, event_date, source, event_type, old_value, new_value
)
select
    event.company_id,
    last_id.last_id + row_number() over (
        order by
            event.company_id, event.entry_id, event.event_type, event.old_value, event.new_value
    ),
    event.entry_id,
    night.dump_date,
    night.source,
    event.event_type,
    event.old_value,
    event.new_value
from (
    select
        coalesce(merged_company.into_company_id, event.company_id) as company_id,
        min(event.entry_id) as entry_id,
        event.event_type,
        event.old_value,
        event.new_value
    from stage.event
    left join stage.merged_company on merged_company.company_id = event.company_id
    group by 1, event.event_type, event.old_value, event.new_value
) as event
cross join stage.night
cross join registry.last_id
where last_id.table_name = 'event';

-- Companies that turned out to be one.
update registry.entry
set company_id = merged_company.into_company_id
from stage.merged_company
where entry.company_id = merged_company.company_id;

update registry.entry_key
set company_id = merged_company.into_company_id
from stage.merged_company
where entry_key.company_id = merged_company.company_id;

update registry.event
set company_id = merged_company.into_company_id
from stage.merged_company
where event.company_id = merged_company.company_id;

update registry.company
set merged_into_id = merged_company.into_company_id
from stage.merged_company
where company.company_id = merged_company.company_id;

update registry.company
set merged_into_id = merged_company.into_company_id
from stage.merged_company
where company.merged_into_id = merged_company.company_id;
