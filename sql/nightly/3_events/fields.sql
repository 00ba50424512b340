-- Turns changed fields into typed events. The dictionary gives severity, class and category.

-- Each type is a query of its own, so that its values are computed only where its condition holds.
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
    select
        'COMPANY_SUSPENDED' as event_type,
        null as old_value,
        coalesce(after.suspension_date, night.dump_date)::text as new_value
    where
        not change.was_gone
        and before.status = 'ACTIVE'
        and after.status = 'SUSPENDED'
    union all
    select
        'COMPANY_RESUMED',
        before.suspension_date::text,
        coalesce(after.resumption_date, night.dump_date)::text
    where
        not change.was_gone
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
        not change.was_gone
        and after.struck_off_date <= night.dump_date
        and (before.struck_off_date is null or before.status <> 'DELETED')
    union all
    select
        'COMPANY_REOPENED',
        coalesce(before.gone_date, before.struck_off_date, before.end_date)::text,
        null
    where
        not change.is_gone
        and (
            change.was_gone
            or (
                before.struck_off_date is not null
                and before.status = 'DELETED'
                and after.struck_off_date is null
            )
            or (before.end_date is not null and after.end_date is null)
        )
    union all
    select
        'COMPANY_START_DATE_CHANGE',
        before.start_date::text,
        after.start_date::text
    where before.start_date is distinct from after.start_date
    union all
    select
        'COMPANY_NAME_CHANGED',
        before.name,
        after.name
    where before.name is distinct from after.name
    union all
    select
        'COMPANY_LEGAL_FORM_CHANGED',
        registry.legal_form_slug(before.legal_form),
        registry.legal_form_slug(after.legal_form)
    where before.legal_form is distinct from after.legal_form
    union all
    select
        'COMPANY_ENTITY_TYPE_CHANGED',
        before.entity_type,
        after.entity_type
    where before.entity_type is distinct from after.entity_type
    union all
    select
        'ANOMALY_REGON_CHANGE',
        before.regon9,
        after.regon9
    where
        before.regon9 is not null
        and before.regon9 is distinct from after.regon9
    union all
    select
        'COMPANY_REGON_ASSIGNED',
        null,
        after.regon9
    where before.regon9 is null and after.regon9 is not null
    union all
    select
        'COMPANY_REGISTRY_NUMBER_CHANGED',
        before.krs,
        after.krs
    where before.krs is not null and before.krs is distinct from after.krs
    union all
    select
        'COMPANY_REGISTRY_NUMBER_ASSIGNED',
        null,
        after.krs
    where before.krs is null and after.krs is not null
) as event;

-- Values that are added, changed or removed: each case has its own event type. The address lines are
-- composed only when a part of the address differs.
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
    select
        'COMPANY_TAX_IDENTITY_ASSIGNED' as added_type,
        'COMPANY_TAX_IDENTITY_CHANGED' as changed_type,
        'COMPANY_TAX_IDENTITY_REVOKED' as removed_type,
        before.nip as old_value,
        after.nip as new_value
    where before.nip is distinct from after.nip
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
    select
        'COMPANY_PHONE_ADDED',
        'COMPANY_PHONE_CHANGED',
        'COMPANY_PHONE_REMOVED',
        before.phone,
        after.phone
    where before.phone is distinct from after.phone
    union all
    select
        'COMPANY_EMAIL_ADDED',
        'COMPANY_EMAIL_CHANGED',
        'COMPANY_EMAIL_REMOVED',
        before.email,
        after.email
    where before.email is distinct from after.email
    union all
    select
        'COMPANY_FAX_ADDED',
        'COMPANY_FAX_CHANGED',
        'COMPANY_FAX_REMOVED',
        before.fax,
        after.fax
    where before.fax is distinct from after.fax
    union all
    select
        'COMPANY_WEBSITE_ADDED',
        'COMPANY_WEBSITE_CHANGED',
        'COMPANY_WEBSITE_REMOVED',
        before.website,
        after.website
    where before.website is distinct from after.website
) as value
where value.old_value is distinct from value.new_value;

-- Entries that are gone from a full dump, or that a delta lists as struck off.
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
