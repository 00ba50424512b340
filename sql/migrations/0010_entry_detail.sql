-- What REGON and KRS say beyond CEIDG. `units` and `other_dates` have the shapes that the snapshot
-- shows; all three lists are sorted, and null when empty, so that equal lists are equal values.
-- units: [{identifier, name, address: {street, building, apartment, city, postal_code, voivodeship,
--   country_code}, dates: [{type, date}]}], sorted by identifier.
-- persons: [{kind: 'owner' | 'partner' | 'shareholder' | 'representative', full_name, role}].
-- other_dates: [{type, date}], those that no column holds, labels in Polish.
alter table registry.entry
add column address_country_code text,
add column struck_off_date date,
add column bankruptcy_start_date date,
add column bankruptcy_end_date date,
add column units jsonb,
add column persons jsonb,
add column other_dates jsonb;
