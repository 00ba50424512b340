-- Functions of the night. All are single expressions, so that Postgres expands them in place.

-- Trims, collapses every kind of white space to one blank, and takes blank for null. To look costs
-- a third of replacing, and few values need it.
create function registry.squeeze(value text) returns text
language sql immutable parallel safe
return case
    when value ~ '^ |  | $|[\t-\r\u001c-\u001f\u0085\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]'
        then nullif(
            btrim(
                regexp_replace(
                    value,
                    '[ \t-\r\u001c-\u001f\u0085\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff]+',
                    ' ',
                    'g'
                )
            ),
            ''
        )
    else nullif(value, '')
end;

-- A NIP of ten digits whose last one is right: weights 6 5 7 2 3 4 5 6 7, modulo 11.
create function registry.is_nip(value text) returns boolean
language sql immutable parallel safe
return case
    when length(value) = 10 and translate(value, '0123456789', '') = '' then (
        value::bigint / 1000000000 * 6
        + value::bigint / 100000000 % 10 * 5
        + value::bigint / 10000000 % 10 * 7
        + value::bigint / 1000000 % 10 * 2
        + value::bigint / 100000 % 10 * 3
        + value::bigint / 10000 % 10 * 4
        + value::bigint / 1000 % 10 * 5
        + value::bigint / 100 % 10 * 6
        + value::bigint / 10 % 10 * 7
    ) % 11 = value::bigint % 10 and value <> '0000000000'
    else false
end;

-- A REGON of nine digits whose last one is right: weights 8 9 2 3 4 5 6 7, modulo 11, 10 being 0.
create function registry.is_regon9(value text) returns boolean
language sql immutable parallel safe
return case
    when length(value) = 9 and translate(value, '0123456789', '') = '' then (
        value::bigint / 100000000 * 8
        + value::bigint / 10000000 % 10 * 9
        + value::bigint / 1000000 % 10 * 2
        + value::bigint / 100000 % 10 * 3
        + value::bigint / 10000 % 10 * 4
        + value::bigint / 1000 % 10 * 5
        + value::bigint / 100 % 10 * 6
        + value::bigint / 10 % 10 * 7
    ) % 11 % 10 = value::bigint % 10 and value <> '000000000'
    else false
end;

-- A KRS number has ten digits and no check digit.
create function registry.is_krs(value text) returns boolean
language sql immutable parallel safe
return value ~ '^[0-9]{10}$' and value <> '0000000000';

-- An address on one line, such as 'ul. Polna 3/4, 00-001 Warszawa, mazowieckie'.
create function registry.address_line(
    street text,
    building text,
    apartment text,
    postal_code text,
    city text,
    voivodeship text
) returns text
language sql immutable parallel safe
return nullif(
    concat_ws(
        ', ',
        nullif(concat_ws(' ', street, nullif(concat_ws('/', building, apartment), '')), ''),
        nullif(concat_ws(' ', postal_code, city), ''),
        voivodeship
    ),
    ''
);

-- The status of an entry on a day: DELETED once its end is reached, else what its source declares.
create function registry.status_on(
    dump_date date,
    declared_status text,
    end_date date,
    gone_date date
) returns text
language sql immutable parallel safe
return case
    when gone_date is not null or end_date <= dump_date then 'DELETED'
    else declared_status
end;

-- 64 bits that stand for everything a registry says of an entry: equal when nothing changed.
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
    resumption_date date
) returns bigint
language sql immutable parallel safe
return hash_record_extended(
    row(
        nip, regon9, krs, entity_type, legal_form, name, surname, first_name, phone, email, fax,
        website, postal_code, county, commune, city, street, building, apartment, voivodeship,
        activity_version, activity_main, activity_codes, declared_status, is_partnership_only,
        start_date, end_date, suspension_date, resumption_date
    ),
    0
);

-- 64 bits that stand for an entry as published; a snapshot's state hash is their sum.
create function registry.state_hash(
    entry_key text,
    content_hash bigint,
    gone_date date
) returns bigint
language sql immutable parallel safe
return hash_record_extended(row(entry_key, content_hash, gone_date), 0);
