-- Yesterday against today: what the entries that are still there say differently.

-- One row per known entry that may say something else today: what it said yesterday, …
create unlogged table stage.before as
select entry.*
from stage.pair
join registry.entry using (company_id, entry_id)
where
    pair.was_gone <> pair.is_gone
    or pair.old_entry_key <> pair.entry_key
    or pair.old_content_hash <> pair.content_hash;

analyze stage.before (company_id, entry_id);

-- … and what it says today.
create unlogged table stage.after as
select
    pair.company_id,
    pair.entry_id,
    entry.*
from stage.before
join stage.pair using (entry_id)
join stage.entry
    on entry.file_no = pair.file_no
    and entry.line = pair.line;

analyze stage.after (company_id, entry_id, file_no, line);

-- The order of the activities says nothing: a record that differs in that alone says the same.
update stage.pair
set content_hash = pair.old_content_hash
from stage.before
join stage.after using (entry_id)
where
    pair.entry_id = before.entry_id
    and before.activity_codes @> after.activity_codes
    and before.activity_codes <@ after.activity_codes
    and pair.old_content_hash = registry.content_hash(
        after.nip, after.regon9, after.krs, after.entity_type, after.legal_form, after.name,
        after.surname, after.first_name, after.phone, after.email, after.fax, after.website,
        after.postal_code, after.county, after.commune, after.city, after.street, after.building,
        after.apartment, after.voivodeship, after.activity_version, after.activity_main,
        before.activity_codes, after.declared_status, after.is_partnership_only,
        after.start_date, after.end_date, after.suspension_date, after.resumption_date,
        after.address_country_code, after.struck_off_date, after.bankruptcy_start_date,
        after.bankruptcy_end_date, after.units, after.persons, after.other_dates
    );

-- One row per known entry that says something else than yesterday, is back or is struck off.
create unlogged table stage.change as
select
    pair.company_id,
    pair.entry_id,
    pair.was_gone,
    pair.is_gone,
    pair.old_content_hash,
    pair.content_hash
from stage.pair
where
    pair.was_gone <> pair.is_gone
    or pair.old_entry_key <> pair.entry_key
    or pair.old_content_hash <> pair.content_hash;

analyze stage.change;

delete from stage.after
where not exists (
    select from stage.change
    where change.entry_id = after.entry_id
);

-- One row per changed entry and field: what the field lost or changed, for the guards.
create unlogged table stage.changed_field as
select
    change.entry_id,
    field.name as field,
    field.new_value is null as is_lost
from stage.change
join stage.before using (entry_id)
join stage.after using (entry_id)
cross join lateral (
    values
    ('nip', before.nip, after.nip),
    ('regon', before.regon9, after.regon9),
    ('krs', before.krs, after.krs),
    ('name', before.name, after.name),
    ('surname', before.surname, after.surname),
    ('first name', before.first_name, after.first_name),
    ('legal form', before.legal_form, after.legal_form),
    ('phone', before.phone, after.phone),
    ('email', before.email, after.email),
    ('fax', before.fax, after.fax),
    ('website', before.website, after.website),
    ('postal code', before.postal_code, after.postal_code),
    ('county', before.county, after.county),
    ('commune', before.commune, after.commune),
    ('city', before.city, after.city),
    ('street', before.street, after.street),
    ('building', before.building, after.building),
    ('apartment', before.apartment, after.apartment),
    ('voivodeship', before.voivodeship, after.voivodeship),
    (
        'activities',
        nullif(before.activity_codes, '{}')::text,
        nullif(after.activity_codes, '{}')::text
    ),
    ('main activity', before.activity_main, after.activity_main),
    ('status', before.declared_status, after.declared_status),
    ('start date', before.start_date::text, after.start_date::text),
    ('end date', before.end_date::text, after.end_date::text),
    (
        'suspension date',
        before.suspension_date::text,
        after.suspension_date::text
    ),
    (
        'resumption date',
        before.resumption_date::text,
        after.resumption_date::text
    ),
    ('strike-off date', before.struck_off_date::text, after.struck_off_date::text),
    (
        'bankruptcy date',
        before.bankruptcy_start_date::text,
        after.bankruptcy_start_date::text
    ),
    (
        'end of the bankruptcy',
        before.bankruptcy_end_date::text,
        after.bankruptcy_end_date::text
    ),
    ('entity type', before.entity_type, after.entity_type),
    ('country', before.address_country_code, after.address_country_code),
    ('units', before.units::text, after.units::text),
    ('persons', before.persons::text, after.persons::text)
) as field (name, old_value, new_value)
where
    field.old_value is distinct from field.new_value
    -- The recoding of a country's activities to a new version is no mass change.
    and (
        field.name not in ('activities', 'main activity')
        or field.new_value is null
        or before.activity_version is not distinct from after.activity_version
    );
