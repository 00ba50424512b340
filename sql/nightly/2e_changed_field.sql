-- Yesterday against today: which fields have changed.

-- One row per changed entry and field: what the field lost or changed, for the guards. Each field is a
-- query of its own: of a list of `values` all would be computed for every entry.
create unlogged table stage.changed_field as
select
    change.entry_id,
    changed.field,
    changed.is_lost
from stage.change
join stage.before using (entry_id)
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
    select 'activities', after.activity_codes = '{}'
    where
        nullif(before.activity_codes, '{}') is distinct from nullif(after.activity_codes, '{}')
        -- The recoding of a country's activities to a new version is no mass change.
        and (
            after.activity_codes = '{}'
            or before.activity_version is not distinct from after.activity_version
        )
    union all
    select 'main activity', after.activity_main is null
    where
        before.activity_main is distinct from after.activity_main
        and (
            after.activity_main is null
            or before.activity_version is not distinct from after.activity_version
        )
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
    select 'entity type', after.entity_type is null
    where before.entity_type is distinct from after.entity_type
    union all
    select 'country', after.address_country_code is null
    where before.address_country_code is distinct from after.address_country_code
    union all
    select 'units', after.units is null
    where before.units::text is distinct from after.units::text
    union all
    select 'persons', after.persons is null
    where before.persons::text is distinct from after.persons::text
) as changed;
