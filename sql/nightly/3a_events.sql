-- What the changes mean: typed events. Severity, class and category are the dictionary's.

-- One row per event of the night, before it has a number.
create unlogged table stage.event (
    company_id bigint not null,
    entry_id bigint not null,
    event_type text not null,
    old_value text,
    new_value text
);

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    change.company_id,
    change.entry_id,
    event.event_type,
    event.old_value,
    event.new_value
from stage.change
join stage.before using (entry_id)
join stage.after using (entry_id)
cross join stage.night
cross join lateral (
    values
    (
        'COMPANY_SUSPENDED',
        null,
        coalesce(after.suspension_date, night.dump_date)::text,
        not change.was_gone
        and before.status = 'ACTIVE'
        and after.status = 'SUSPENDED'
    ),
    (
        'COMPANY_RESUMED',
        before.suspension_date::text,
        coalesce(after.resumption_date, night.dump_date)::text,
        not change.was_gone
        and before.status = 'SUSPENDED'
        and after.status = 'ACTIVE'
    ),
    (
        'COMPANY_CLOSED_DATE',
        before.end_date::text,
        after.end_date::text,
        after.end_date is not null
        and before.end_date is distinct from after.end_date
    ),
    (
        'COMPANY_STRUCK_OFF',
        before.status,
        after.struck_off_date::text,
        not change.was_gone
        and before.struck_off_date is null
        and after.struck_off_date is not null
    ),
    (
        'COMPANY_REOPENED',
        coalesce(before.gone_date, before.struck_off_date, before.end_date)::text,
        null,
        not change.is_gone
        and (
            change.was_gone
            or (before.struck_off_date is not null and after.struck_off_date is null)
            or (before.end_date is not null and after.end_date is null)
        )
    ),
    (
        'COMPANY_START_DATE_CHANGE',
        before.start_date::text,
        after.start_date::text,
        before.start_date is distinct from after.start_date
    ),
    (
        'COMPANY_NAME_CHANGED',
        before.name,
        after.name,
        before.name is distinct from after.name
    ),
    (
        'COMPANY_LEGAL_FORM_CHANGED',
        before.legal_form,
        after.legal_form,
        before.legal_form is distinct from after.legal_form
    ),
    (
        'COMPANY_ENTITY_TYPE_CHANGED',
        before.entity_type,
        after.entity_type,
        before.entity_type is distinct from after.entity_type
    ),
    (
        'ANOMALY_REGON_CHANGE',
        before.regon9,
        after.regon9,
        before.regon9 is not null
        and before.regon9 is distinct from after.regon9
    ),
    (
        'COMPANY_REGON_ASSIGNED',
        null,
        after.regon9,
        before.regon9 is null and after.regon9 is not null
    ),
    (
        'COMPANY_REGISTRY_NUMBER_CHANGED',
        before.krs,
        after.krs,
        before.krs is not null and before.krs is distinct from after.krs
    ),
    (
        'COMPANY_REGISTRY_NUMBER_ASSIGNED',
        null,
        after.krs,
        before.krs is null and after.krs is not null
    )
) as event (event_type, old_value, new_value, has_happened)
where event.has_happened;

-- Values that are added, changed or removed: the event types are named after what happened.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    change.company_id,
    change.entry_id,
    case
        when value.old_value is null then value.added_type
        when value.new_value is null then value.removed_type
        else value.changed_type
    end,
    value.old_value,
    value.new_value
from stage.change
join stage.before using (entry_id)
join stage.after using (entry_id)
cross join lateral (
    values
    (
        'COMPANY_TAX_IDENTITY_ASSIGNED',
        'COMPANY_TAX_IDENTITY_CHANGED',
        'COMPANY_TAX_IDENTITY_REVOKED',
        before.nip,
        after.nip
    ),
    (
        'COMPANY_ADDRESS_ADDED',
        'COMPANY_ADDRESS_CHANGED',
        'COMPANY_ADDRESS_REMOVED',
        registry.address_line(
            before.street, before.building, before.apartment,
            before.postal_code, before.city, before.voivodeship
        ),
        registry.address_line(
            after.street, after.building, after.apartment,
            after.postal_code, after.city, after.voivodeship
        )
    ),
    (
        'COMPANY_PHONE_ADDED',
        'COMPANY_PHONE_CHANGED',
        'COMPANY_PHONE_REMOVED',
        before.phone,
        after.phone
    ),
    (
        'COMPANY_EMAIL_ADDED',
        'COMPANY_EMAIL_CHANGED',
        'COMPANY_EMAIL_REMOVED',
        before.email,
        after.email
    ),
    (
        'COMPANY_FAX_ADDED',
        'COMPANY_FAX_CHANGED',
        'COMPANY_FAX_REMOVED',
        before.fax,
        after.fax
    ),
    (
        'COMPANY_WEBSITE_ADDED',
        'COMPANY_WEBSITE_CHANGED',
        'COMPANY_WEBSITE_REMOVED',
        before.website,
        after.website
    )
) as value (added_type, changed_type, removed_type, old_value, new_value)
where value.old_value is distinct from value.new_value;

-- Rows gone from a full dump, and what a delta says is struck off.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    entry.company_id,
    entry.entry_id,
    'COMPANY_STRUCK_OFF',
    entry.status,
    night.dump_date::text
from stage.vanished
cross join stage.night
join registry.entry using (company_id, entry_id)
where not vanished.waits;
