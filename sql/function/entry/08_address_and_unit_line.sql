-- Returns an address on one line, such as 'Polna 3/4, 00-001 Warszawa, mazowieckie'.
create or replace function registry.address_line(
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

-- Returns the name of a region by its code.
create or replace function registry.region_name(country_code text, code text) returns text
language sql stable parallel safe
return (
    select region.name
    from registry.region
    where region.country_code = region_name.country_code and region.code = region_name.code
);

-- Returns the code of a region by its name.
create or replace function registry.region_code(country_code text, name text) returns text
language sql stable parallel safe
return (
    select region.code
    from registry.region
    where region.country_code = region_code.country_code and region.name = region_code.name
);

-- Returns the address of an entry on one line.
create or replace function registry.entry_address(entry registry.entry) returns text
language sql stable parallel safe
return registry.address_line(
    entry.street, entry.building, entry.apartment, entry.postal_code, entry.city,
    registry.region_name(entry.country_code, entry.voivodeship)
);

-- Returns a unit (establishment) on one line: its number, its name and its address.
create or replace function registry.unit_line(unit jsonb) returns text
language sql immutable parallel safe
return nullif(
    concat_ws(
        ', ',
        nullif(concat_ws(' ', unit ->> 'identifier', unit ->> 'name'), ''),
        registry.address_line(
            unit #>> '{address,street}', unit #>> '{address,building}', unit #>> '{address,apartment}',
            unit #>> '{address,postal_code}', unit #>> '{address,city}', unit #>> '{address,voivodeship}'
        )
    ),
    ''
);
