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
    (change.old).company_id,
    (change.old).entry_id,
    event.event_type,
    event.old_value,
    event.new_value
from stage.change
cross join stage.night
cross join lateral (
    values
    (
        'COMPANY_SUSPENDED',
        null,
        coalesce((change.new).suspension_date, night.dump_date)::text,
        not change.was_gone
        and (change.old).status = 'ACTIVE'
        and (change.new).status = 'SUSPENDED'
    ),
    (
        'COMPANY_RESUMED',
        (change.old).suspension_date::text,
        coalesce((change.new).resumption_date, night.dump_date)::text,
        not change.was_gone
        and (change.old).status = 'SUSPENDED'
        and (change.new).status = 'ACTIVE'
    ),
    (
        'COMPANY_CLOSED_DATE',
        (change.old).end_date::text,
        (change.new).end_date::text,
        (change.new).end_date is not null
        and (change.old).end_date is distinct from (change.new).end_date
    ),
    (
        'COMPANY_REOPENED',
        coalesce((change.old).gone_date, (change.old).end_date)::text,
        null,
        change.was_gone
        or ((change.old).end_date is not null and (change.new).end_date is null)
    ),
    (
        'COMPANY_START_DATE_CHANGE',
        (change.old).start_date::text,
        (change.new).start_date::text,
        (change.old).start_date is distinct from (change.new).start_date
    ),
    (
        'COMPANY_NAME_CHANGED',
        (change.old).name,
        (change.new).name,
        (change.old).name is distinct from (change.new).name
    ),
    (
        'COMPANY_LEGAL_FORM_CHANGED',
        (change.old).legal_form,
        (change.new).legal_form,
        (change.old).legal_form is distinct from (change.new).legal_form
    ),
    (
        'COMPANY_ENTITY_TYPE_CHANGED',
        (change.old).entity_type,
        (change.new).entity_type,
        (change.old).entity_type is distinct from (change.new).entity_type
    ),
    (
        'COMPANY_OWNER_CHANGED',
        nullif(concat_ws(' ', (change.old).first_name, (change.old).surname), ''),
        nullif(concat_ws(' ', (change.new).first_name, (change.new).surname), ''),
        ((change.old).first_name, (change.old).surname)
        is distinct from ((change.new).first_name, (change.new).surname)
    ),
    (
        'ANOMALY_REGON_CHANGE',
        (change.old).regon9,
        (change.new).regon9,
        (change.old).regon9 is not null
        and (change.old).regon9 is distinct from (change.new).regon9
    ),
    (
        'COMPANY_REGON_ASSIGNED',
        null,
        (change.new).regon9,
        (change.old).regon9 is null and (change.new).regon9 is not null
    ),
    (
        'COMPANY_REGISTRY_NUMBER_CHANGED',
        (change.old).krs,
        (change.new).krs,
        (change.old).krs is not null and (change.old).krs is distinct from (change.new).krs
    ),
    (
        'COMPANY_REGISTRY_NUMBER_ASSIGNED',
        null,
        (change.new).krs,
        (change.old).krs is null and (change.new).krs is not null
    )
) as event (event_type, old_value, new_value, has_happened)
where event.has_happened;

-- Values that are added, changed or removed: the event types are named after what happened.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    (change.old).company_id,
    (change.old).entry_id,
    case
        when value.old_value is null then value.added_type
        when value.new_value is null then value.removed_type
        else value.changed_type
    end,
    value.old_value,
    value.new_value
from stage.change
cross join lateral (
    values
    (
        'COMPANY_TAX_IDENTITY_ASSIGNED',
        'COMPANY_TAX_IDENTITY_CHANGED',
        'COMPANY_TAX_IDENTITY_REVOKED',
        (change.old).nip,
        (change.new).nip
    ),
    (
        'COMPANY_ADDRESS_ADDED',
        'COMPANY_ADDRESS_CHANGED',
        'COMPANY_ADDRESS_REMOVED',
        registry.address_line(
            (change.old).street, (change.old).building, (change.old).apartment,
            (change.old).postal_code, (change.old).city, (change.old).voivodeship
        ),
        registry.address_line(
            (change.new).street, (change.new).building, (change.new).apartment,
            (change.new).postal_code, (change.new).city, (change.new).voivodeship
        )
    ),
    (
        'COMPANY_PHONE_ADDED',
        'COMPANY_PHONE_CHANGED',
        'COMPANY_PHONE_REMOVED',
        (change.old).phone,
        (change.new).phone
    ),
    (
        'COMPANY_EMAIL_ADDED',
        'COMPANY_EMAIL_CHANGED',
        'COMPANY_EMAIL_REMOVED',
        (change.old).email,
        (change.new).email
    ),
    (
        'COMPANY_FAX_ADDED',
        'COMPANY_FAX_CHANGED',
        'COMPANY_FAX_REMOVED',
        (change.old).fax,
        (change.new).fax
    ),
    (
        'COMPANY_WEBSITE_ADDED',
        'COMPANY_WEBSITE_CHANGED',
        'COMPANY_WEBSITE_REMOVED',
        (change.old).website,
        (change.new).website
    )
) as value (added_type, changed_type, removed_type, old_value, new_value)
where value.old_value is distinct from value.new_value;

-- Activities. Where an entry moves to another version of the classification, the codes that the
-- official key explains are one reclassification; the key is read in both directions.
-- One row per changed entry and code that came or went.
create unlogged table stage.activity_change as
with changed as (
    select
        (change.old).company_id,
        (change.old).entry_id,
        (change.old).activity_version as old_version,
        (change.new).activity_version as new_version,
        (change.old).activity_codes as old_codes,
        (change.new).activity_codes as new_codes,
        (change.old).activity_version <> (change.new).activity_version is true as is_recoded
    from stage.change
    where
        ((change.old).activity_version, (change.old).activity_codes)
        is distinct from ((change.new).activity_version, (change.new).activity_codes)
),

explained as (
    select
        changed.entry_id,
        activity_key.code_2007 as old_code,
        activity_key.code_2025 as new_code
    from changed
    cross join lateral unnest(changed.old_codes) as old (code)
    join registry.activity_key on activity_key.code_2007 = old.code
    where
        changed.old_version = 2007
        and changed.new_version = 2025
        and activity_key.code_2025 = any(changed.new_codes)
    union all
    select
        changed.entry_id,
        activity_key.code_2025,
        activity_key.code_2007
    from changed
    cross join lateral unnest(changed.old_codes) as old (code)
    join registry.activity_key on activity_key.code_2025 = old.code
    where
        changed.old_version = 2025
        and changed.new_version = 2007
        and activity_key.code_2007 = any(changed.new_codes)
),

explained_code as (
    select explained.entry_id, explained.old_code as code, true as is_old from explained
    union
    select explained.entry_id, explained.new_code, false from explained
)

select
    changed.company_id,
    changed.entry_id,
    code.code,
    code.is_old,
    explained_code.entry_id is not null as is_explained
from changed
cross join lateral (
    select distinct unnest(changed.old_codes) as code, true as is_old
    union all
    select distinct unnest(changed.new_codes), false
) as code
left join explained_code
    on explained_code.entry_id = changed.entry_id
    and explained_code.code = code.code
    and explained_code.is_old = code.is_old
where
    changed.is_recoded
    or code.is_old and code.code <> all(changed.new_codes)
    or not code.is_old and code.code <> all(changed.old_codes);

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    activity_change.company_id,
    activity_change.entry_id,
    case
        when activity_change.is_old then 'COMPANY_ACTIVITY_REMOVED'
        else 'COMPANY_ACTIVITY_ADDED'
    end,
    case when activity_change.is_old then activity_change.code end,
    case when not activity_change.is_old then activity_change.code end
from stage.activity_change
where not activity_change.is_explained
union all
select
    activity_change.company_id,
    activity_change.entry_id,
    'COMPANY_ACTIVITIES_RECLASSIFIED',
    string_agg(activity_change.code, ',' order by activity_change.code)
        filter (where activity_change.is_old),
    string_agg(activity_change.code, ',' order by activity_change.code)
        filter (where not activity_change.is_old)
from stage.activity_change
where activity_change.is_explained
group by activity_change.company_id, activity_change.entry_id;

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    (change.old).company_id,
    (change.old).entry_id,
    'COMPANY_MAIN_ACTIVITY_CHANGED',
    (change.old).activity_main,
    (change.new).activity_main
from stage.change
where case
    when (change.old).activity_version <> (change.new).activity_version then
        coalesce((change.old).activity_main, (change.new).activity_main) is not null
        and not exists (
            select from registry.activity_key
            where
                (change.old).activity_version = 2007
                and activity_key.code_2007 = (change.old).activity_main
                and activity_key.code_2025 = (change.new).activity_main
                or (change.new).activity_version = 2007
                and activity_key.code_2025 = (change.old).activity_main
                and activity_key.code_2007 = (change.new).activity_main
        )
    else (change.old).activity_main is distinct from (change.new).activity_main
end;

-- Rows gone from a full dump.
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
