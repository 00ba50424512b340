-- Adds the columns that `map.sql` leaves out. Added columns are null, from the row `absent`, which has all columns.
select stated.*
from (
    select (null::registry.entry).*, null::text as status_text, false as is_well_formed
) as absent
cross join lateral (
    select
        file_no, line, fingerprint, is_well_formed, entry_key, nip, regon9, krs, numbers,
        entity_type, legal_form, name, surname, first_name, phone, email, fax, website,
        postal_code, county, commune, city, street, building, apartment, voivodeship,
        address_country_code, activity_version, activity_main, activity_codes,
        announced_activity, status_text, declared_status, bankruptcy_state,
        restructuring_state, units, closed_units, address_ids, persons, other_dates,
        e_delivery, version_no, version_date, version_register, is_partial, unstated,
        other_names, attributes,
        coalesce(is_partnership_only, false) as is_partnership_only,
        start_date::text as start_date,
        end_date::text as end_date,
        suspension_date::text as suspension_date,
        resumption_date::text as resumption_date,
        struck_off_date::text as struck_off_date,
        bankruptcy_start_date::text as bankruptcy_start_date,
        bankruptcy_end_date::text as bankruptcy_end_date,
        restructuring_start_date::text as restructuring_start_date,
        restructuring_end_date::text as restructuring_end_date
    from stage.map as mapped
) as stated
