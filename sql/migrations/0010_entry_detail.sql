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

-- An end or a strike-off that is announced is reached without a new record.
drop index registry.entry_end_due_idx;
create index entry_due_idx on registry.entry (source, least(end_date, struck_off_date))
where least(end_date, struck_off_date) is not null and status <> 'DELETED';

-- 64 bits that stand for everything a registry says of an entry: equal when nothing changed. What
-- says no more than CEIDG does has the bits that it always had.
create function registry.content_hash(
    nip text,
    regon9 text,
    krs text,
    entity_type text,
    legal_form text,
    name text,
    surname text,
    first_name text,
    phone text,
    email text,
    fax text,
    website text,
    postal_code text,
    county text,
    commune text,
    city text,
    street text,
    building text,
    apartment text,
    voivodeship text,
    activity_version smallint,
    activity_main text,
    activity_codes text[],
    declared_status text,
    is_partnership_only boolean,
    start_date date,
    end_date date,
    suspension_date date,
    resumption_date date,
    address_country_code text,
    struck_off_date date,
    bankruptcy_start_date date,
    bankruptcy_end_date date,
    units jsonb,
    persons jsonb,
    other_dates jsonb
) returns bigint
language sql immutable parallel safe
return case
    when num_nonnulls(
        address_country_code, struck_off_date, bankruptcy_start_date, bankruptcy_end_date, units,
        persons, other_dates
    ) = 0 then hash_record_extended(
        row(
            nip, regon9, krs, entity_type, legal_form, name, surname, first_name, phone, email,
            fax, website, postal_code, county, commune, city, street, building, apartment,
            voivodeship, activity_version, activity_main, activity_codes, declared_status,
            is_partnership_only, start_date, end_date, suspension_date, resumption_date
        ),
        0
    )
    else hash_record_extended(
        row(
            nip, regon9, krs, entity_type, legal_form, name, surname, first_name, phone, email,
            fax, website, postal_code, county, commune, city, street, building, apartment,
            voivodeship, activity_version, activity_main, activity_codes, declared_status,
            is_partnership_only, start_date, end_date, suspension_date, resumption_date,
            address_country_code, struck_off_date, bankruptcy_start_date, bankruptcy_end_date,
            units, persons, other_dates
        ),
        0
    )
end;

drop function registry.content_hash(
    text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text,
    text, text, text, text, smallint, text, text[], text, boolean, date, date, date, date
);

-- What events say of persons and units. Called for entries that changed, not for all.

-- The natural person, or the partners of a civil partnership, each name once.
create function registry.owner_names(
    first_name text,
    surname text,
    persons jsonb
) returns text
language sql immutable parallel safe
return (
    select string_agg(distinct owner.name, '; ' order by owner.name)
    from (
        select nullif(concat_ws(' ', first_name, surname), '') as name
        union all
        select person.value ->> 'full_name'
        from jsonb_array_elements(persons) as person
        where person.value ->> 'kind' in ('owner', 'partner')
    ) as owner
);

-- Masked names may be equal: each person counts.
create function registry.shareholder_names(persons jsonb) returns text
language sql immutable parallel safe
return (
    select string_agg(person.value ->> 'full_name', '; ' order by person.value ->> 'full_name')
    from jsonb_array_elements(persons) as person
    where person.value ->> 'kind' = 'shareholder'
);

create function registry.representative_names(persons jsonb) returns text
language sql immutable parallel safe
return (
    select string_agg(representative.name, '; ' order by representative.name)
    from jsonb_array_elements(persons) as person
    cross join lateral (
        select concat(
            person.value ->> 'full_name',
            ' (' || nullif(person.value ->> 'role', '') || ')'
        ) as name
    ) as representative
    where person.value ->> 'kind' = 'representative'
);

-- A unit on one line: its number, its name and its address.
create function registry.unit_line(unit jsonb) returns text
language sql immutable parallel safe
return nullif(
    concat_ws(
        ', ',
        nullif(concat_ws(' ', unit ->> 'identifier', unit ->> 'name'), ''),
        registry.address_line(
            unit #>> '{address,street}', unit #>> '{address,building}',
            unit #>> '{address,apartment}', unit #>> '{address,postal_code}',
            unit #>> '{address,city}', unit #>> '{address,voivodeship}'
        )
    ),
    ''
);

-- Whether a unit has a date on which it ended or was struck off.
create function registry.is_unit_closed(unit jsonb) returns boolean
language sql immutable parallel safe
return exists (
    select
    from jsonb_array_elements(unit -> 'dates') as dated
    where dated.value ->> 'type' ~* 'zakończeni|skreśleni|wykreśleni'
);
