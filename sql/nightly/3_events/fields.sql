-- Turns changed fields into typed events. The dictionary gives severity, class and category.

-- Dates and states. Each type is a query of its own, so that its values are computed only where its
-- condition holds.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id,
    after.entry_id,
    event.event_type,
    event.old_value,
    event.new_value
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
        after.end_date::text
    where
        after.end_date is not null
        and before.end_date is distinct from after.end_date
    union all
    select
        'COMPANY_STRUCK_OFF',
        before.status,
        after.struck_off_date::text
    -- An announced strike-off becomes an event on its day (5_publish/entries.sql).
    where
        before.gone_date is null
        and after.struck_off_date <= night.dump_date
        and (before.struck_off_date is null or before.status <> 'DELETED')
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
        )
    union all
    select
        'COMPANY_LEGAL_FORM_CHANGED',
        registry.legal_form_slug(before.legal_form),
        registry.legal_form_slug(after.legal_form)
    where before.legal_form is distinct from after.legal_form
) as event;

-- Values that are added, changed or removed. A value without a type of its own for the first and the
-- last has the type of a change. Address lines and lists of names are composed only where a part differs.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id,
    after.entry_id,
    coalesce(
        case
            when value.old_value is null then value.added_type
            when value.new_value is null then value.removed_type
        end,
        value.changed_type
    ),
    value.old_value,
    value.new_value
from stage.before
join stage.after using (entry_id)
cross join lateral (
    values
    (null, 'COMPANY_START_DATE_CHANGE', null, before.start_date::text, after.start_date::text),
    (null, 'COMPANY_NAME_CHANGED', null, before.name, after.name),
    (null, 'COMPANY_ENTITY_TYPE_CHANGED', null, before.entity_type, after.entity_type),
    (
        'COMPANY_TAX_IDENTITY_ASSIGNED', 'COMPANY_TAX_IDENTITY_CHANGED',
        'COMPANY_TAX_IDENTITY_REVOKED', before.nip, after.nip
    ),
    ('COMPANY_REGON_ASSIGNED', 'ANOMALY_REGON_CHANGE', null, before.regon9, after.regon9),
    (
        'COMPANY_REGISTRY_NUMBER_ASSIGNED', 'COMPANY_REGISTRY_NUMBER_CHANGED', null,
        before.krs, after.krs
    ),
    (
        'COMPANY_PHONE_ADDED', 'COMPANY_PHONE_CHANGED', 'COMPANY_PHONE_REMOVED',
        before.phone, after.phone
    ),
    (
        'COMPANY_EMAIL_ADDED', 'COMPANY_EMAIL_CHANGED', 'COMPANY_EMAIL_REMOVED',
        before.email, after.email
    ),
    ('COMPANY_FAX_ADDED', 'COMPANY_FAX_CHANGED', 'COMPANY_FAX_REMOVED', before.fax, after.fax),
    (
        'COMPANY_WEBSITE_ADDED', 'COMPANY_WEBSITE_CHANGED', 'COMPANY_WEBSITE_REMOVED',
        before.website, after.website
    )
    union all
    select
        'COMPANY_ADDRESS_ADDED',
        'COMPANY_ADDRESS_CHANGED',
        'COMPANY_ADDRESS_REMOVED',
        registry.address_line(
            before.street, before.building, before.apartment, before.postal_code, before.city,
            registry.voivodeship_name(before.voivodeship)
        ),
        registry.address_line(
            after.street, after.building, after.apartment, after.postal_code, after.city,
            registry.voivodeship_name(after.voivodeship)
        )
    where
        (
            before.street, before.building, before.apartment, before.postal_code, before.city,
            before.voivodeship
        ) is distinct from (
            after.street, after.building, after.apartment, after.postal_code, after.city,
            after.voivodeship
        )
    union all
    select null, person.changed_type, null, person.old_value, person.new_value
    from (
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
    ) as person (changed_type, old_value, new_value)
    where
        (before.first_name, before.surname, before.persons)
        is distinct from (after.first_name, after.surname, after.persons)
) as value (added_type, changed_type, removed_type, old_value, new_value)
where value.old_value is distinct from value.new_value;

-- Entries that are gone from a full dump, or that a delta lists as struck off.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    vanished.company_id,
    vanished.entry_id,
    'COMPANY_STRUCK_OFF',
    vanished.status,
    night.dump_date::text
from stage.vanished
cross join stage.night
where not vanished.waits;
