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
select entry_row.*
from stage.entry_row
where entry_row.entry_id in (select before.entry_id from stage.before);

analyze stage.after (company_id, entry_id, file_key);

-- One row per such entry and field that differs. is_recoded: the activities moved to another version of
-- the classification. Each field is a query of its own: of a list of `values` all would be computed for
-- every entry.
create unlogged table stage.changed_field as
select
    after.entry_id,
    changed.field,
    changed.is_lost,
    before.activity_version <> after.activity_version is true as is_recoded
from stage.before
join stage.after using (entry_id)
cross join lateral (
    select 'nip' as field, after.nip is null as is_lost
    where before.nip is distinct from after.nip
    union all
    select 'regon', after.regon9 is null
    where before.regon9 is distinct from after.regon9
    union all
    select 'krs', after.krs is null
    where before.krs is distinct from after.krs
    union all
    select 'name', after.name is null
    where before.name is distinct from after.name
    union all
    select 'surname', after.surname is null
    where before.surname is distinct from after.surname
    union all
    select 'first name', after.first_name is null
    where before.first_name is distinct from after.first_name
    union all
    select 'legal form', after.legal_form is null
    where before.legal_form is distinct from after.legal_form
    union all
    select 'phone', after.phone is null
    where before.phone is distinct from after.phone
    union all
    select 'email', after.email is null
    where before.email is distinct from after.email
    union all
    select 'fax', after.fax is null
    where before.fax is distinct from after.fax
    union all
    select 'website', after.website is null
    where before.website is distinct from after.website
    union all
    select 'e-delivery address', after.e_delivery is null
    where before.e_delivery is distinct from after.e_delivery
    union all
    select 'postal code', after.postal_code is null
    where before.postal_code is distinct from after.postal_code
    union all
    select 'county', after.county is null
    where before.county is distinct from after.county
    union all
    select 'commune', after.commune is null
    where before.commune is distinct from after.commune
    union all
    select 'city', after.city is null
    where before.city is distinct from after.city
    union all
    select 'street', after.street is null
    where before.street is distinct from after.street
    union all
    select 'building', after.building is null
    where before.building is distinct from after.building
    union all
    select 'apartment', after.apartment is null
    where before.apartment is distinct from after.apartment
    union all
    select 'voivodeship', after.voivodeship is null
    where before.voivodeship is distinct from after.voivodeship
    union all
    -- The order of the activities says nothing.
    select 'activities', after.activity_codes = ''
    where
        before.activity_codes <> after.activity_codes
        and not (
            string_to_array(before.activity_codes, ',') @> string_to_array(after.activity_codes, ',')
            and string_to_array(before.activity_codes, ',')
            <@ string_to_array(after.activity_codes, ',')
        )
    union all
    select 'main activity', after.activity_main is null
    where before.activity_main is distinct from after.activity_main
    union all
    select 'activity version', after.activity_version is null
    where before.activity_version is distinct from after.activity_version
    union all
    select 'status', after.declared_status is null
    where before.declared_status is distinct from after.declared_status
    union all
    select 'start date', after.start_date is null
    where before.start_date is distinct from after.start_date
    union all
    select 'end date', after.end_date is null
    where before.end_date is distinct from after.end_date
    union all
    select 'suspension date', after.suspension_date is null
    where before.suspension_date is distinct from after.suspension_date
    union all
    select 'resumption date', after.resumption_date is null
    where before.resumption_date is distinct from after.resumption_date
    union all
    select 'strike-off date', after.struck_off_date is null
    where before.struck_off_date is distinct from after.struck_off_date
    union all
    select 'bankruptcy date', after.bankruptcy_start_date is null
    where before.bankruptcy_start_date is distinct from after.bankruptcy_start_date
    union all
    select 'end of the bankruptcy', after.bankruptcy_end_date is null
    where before.bankruptcy_end_date is distinct from after.bankruptcy_end_date
    union all
    select 'bankruptcy', after.bankruptcy_state is null
    where before.bankruptcy_state is distinct from after.bankruptcy_state
    union all
    select 'restructuring', after.restructuring_state is null
    where
        (
            before.restructuring_state, before.restructuring_start_date,
            before.restructuring_end_date
        ) is distinct from (
            after.restructuring_state, after.restructuring_start_date,
            after.restructuring_end_date
        )
    union all
    select 'entity type', after.entity_type is null
    where before.entity_type is distinct from after.entity_type
    union all
    select 'country', after.address_country_code is null
    where before.address_country_code is distinct from after.address_country_code
    union all
    select 'units', after.units is null
    where before.units is distinct from after.units
    union all
    select 'persons', after.persons is null
    where before.persons is distinct from after.persons
    union all
    select 'other dates', after.other_dates is null
    where before.other_dates is distinct from after.other_dates
    union all
    select 'partnership', false
    where before.is_partnership_only <> after.is_partnership_only
) as changed;

analyze stage.changed_field (entry_id);

-- One row per known entry that says something else than yesterday, is back or is struck off.
create unlogged table stage.change as
select
    pair.company_id,
    pair.entry_id,
    pair.was_gone,
    pair.is_gone
from stage.pair
where
    pair.was_gone <> pair.is_gone
    or pair.old_entry_key <> pair.entry_key
    or pair.entry_id in (select changed_field.entry_id from stage.changed_field);

analyze stage.change;

delete from stage.after
where not exists (
    select from stage.change
    where change.entry_id = after.entry_id
);
