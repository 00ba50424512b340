-- Returns the 64-bit hash of a published entry; the state hash of a snapshot is the sum of the hashes of its entries,
-- which nightly/5_publish/statistics.sql stores.
create or replace function registry.state_hash(content_hash bigint, gone_date date) returns bigint
language sql immutable parallel safe
return case
    when gone_date is null then content_hash
    else content_hash # hashint8extended(gone_date - date '2000-01-01', 0)
end;

-- Returns the 64-bit hash of the content of a record; sql/nightly/1_read/normalise.sql computes the same hash.
create or replace function registry.content_hash(entry registry.entry) returns bigint
language sql immutable parallel safe
return hash_record_extended(
    row(
        entry.nip, entry.regon9, entry.krs, entry.entity_type, entry.legal_form,
        entry.name, entry.surname, entry.first_name, entry.phone, entry.email,
        entry.fax, entry.website, entry.postal_code, entry.county, entry.commune,
        entry.city, entry.street, entry.building, entry.apartment, entry.voivodeship,
        entry.activity_version, entry.activity_main, entry.activity_codes,
        entry.declared_status, entry.is_partnership_only, entry.start_date,
        entry.end_date, entry.suspension_date, entry.resumption_date,
        entry.address_country_code, entry.struck_off_date, entry.bankruptcy_start_date,
        entry.bankruptcy_end_date, entry.units, entry.persons, entry.other_dates,
        entry.bankruptcy_state, entry.restructuring_state,
        entry.restructuring_start_date, entry.restructuring_end_date, entry.e_delivery
    ),
    coalesce(jsonb_hash_extended(entry.numbers, 0), 0)
);
