-- Turns changed fields into typed events, also fields of owners, partners, shareholders and representatives, whose
-- names and roles `person_names` (function/09_name.sql) lists. Changes of the status become events in states.sql. A
-- cancelled number counts as removed, since the source stores none (map.sql, collect_numbers_and_proceedings.sql).

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id, after.entry_id, 'COMPANY_LEGAL_FORM_CHANGED',
    registry.legal_form_slug(before.country_code, before.legal_form),
    registry.legal_form_slug(after.country_code, after.legal_form)
from stage.before
join stage.after using (entry_id)
where before.legal_form is distinct from after.legal_form;

-- Writes the events about added, changed and removed values. Addresses and name lists are built only if a part differs.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id, after.entry_id, event_type.event_type, value.old_value, value.new_value
from stage.before
join stage.after using (entry_id)
cross join lateral (
    values
    ('start date', before.start_date::text, after.start_date::text),
    ('name', before.name, after.name),
    ('entity type', before.entity_type, after.entity_type),
    ('phone', before.phone, after.phone),
    ('e-mail', before.email, after.email),
    ('fax', before.fax, after.fax),
    ('website', before.website, after.website)
    union all
    select number.event_subject, number.old_value, number.new_value
    from registry.changed_numbers(
        row(before.*)::registry.entry, row(after.*)::registry.entry
    ) as number
    union all
    select
        'address',
        registry.entry_address(row(before.*)::registry.entry),
        registry.entry_address(row(after.*)::registry.entry)
    where
        (
            before.street, before.building, before.apartment, before.postal_code, before.city,
            before.voivodeship
        ) is distinct from (
            after.street, after.building, after.apartment, after.postal_code, after.city,
            after.voivodeship
        )
        -- Two addresses to which the registry gives the same identifier count as the same address.
        and (before.address_ids[1] = after.address_ids[1]) is not true
    union all
    select person.subject, person.old_value, person.new_value
    from (
        values
        (
            'owner', 'partner',
            registry.owner_names(before.first_name, before.surname, before.persons),
            registry.owner_names(after.first_name, after.surname, after.persons)
        ),
        (
            'shareholders', 'shareholder',
            registry.person_names('shareholder', before.persons),
            registry.person_names('shareholder', after.persons)
        ),
        (
            'representation', null,
            registry.person_names('representative', before.persons),
            registry.person_names('representative', after.persons)
        )
    ) as person (subject, kind, old_value, new_value)
    where
        (before.first_name, before.surname, before.persons)
        is distinct from (after.first_name, after.surname, after.persons)
        -- If all partners or shareholders keep their numbers, a new name of one of them makes no event.
        and (
            registry.person_keys(before.country_code, person.kind, before.persons)
            = registry.person_keys(after.country_code, person.kind, after.persons)
        ) is not true
) as value (subject, old_value, new_value)
join registry.event_type
    on event_type.subject = value.subject
    and case
        when value.old_value is null then 'added'
        when value.new_value is null then 'removed'
        else 'changed'
    end = any(event_type.changes)
where
    value.old_value is distinct from value.new_value
    -- A new spelling of a value is stored, but makes no event.
    and registry.value_meaning(after.country_code, value.subject, value.old_value)
    is distinct from registry.value_meaning(after.country_code, value.subject, value.new_value);
