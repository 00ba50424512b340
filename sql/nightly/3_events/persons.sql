-- Turns changed owners, shareholders and representatives into events.

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id,
    after.entry_id,
    event.event_type,
    event.old_value,
    event.new_value
from stage.before
join stage.after using (entry_id)
cross join lateral (
    values
    (
        'COMPANY_OWNER_CHANGED',
        registry.owner_names(before.first_name, before.surname, before.persons),
        registry.owner_names(after.first_name, after.surname, after.persons)
    ),
    (
        'COMPANY_SHAREHOLDERS_CHANGED',
        registry.shareholder_names(before.persons),
        registry.shareholder_names(after.persons)
    ),
    (
        'COMPANY_REPRESENTATION_CHANGED',
        registry.representative_names(before.persons),
        registry.representative_names(after.persons)
    )
) as event (event_type, old_value, new_value)
where
    (before.first_name, before.surname, before.persons)
    is distinct from (after.first_name, after.surname, after.persons)
    and event.old_value is distinct from event.new_value;
