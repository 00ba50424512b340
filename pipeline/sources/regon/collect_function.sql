-- What the mapping asks more than once.

-- The address of a record, as the snapshot shows it. Symbols go before names, which drift.
create function stage.regon_address(record jsonb) returns jsonb
language sql stable
return (
    select jsonb_build_object(
        'street', coalesce(
            regexp_replace(record ->> 'street', '^(ul|al|pl|os)\.(?! )', '\1. '),
            -- A place without street and number, such as a market hall.
            case when record ->> 'building' is null then record ->> 'place' end
        ),
        'building', record ->> 'building',
        'apartment', record ->> 'apartment',
        'city', record ->> 'city',
        -- The reports leave out the dash.
        'postal_code', regexp_replace(
            registry.postal_code_pl(record ->> 'postal_code'), '^([0-9]{2})([0-9]{3})$', '\1-\2'
        ),
        'voivodeship', place.voivodeship,
        'country_code', case
            when record ->> 'country' is not null then registry.upper(record ->> 'country')
            -- Of natural persons the country is often blank.
            when
                place.voivodeship is not null
                or registry.lower(record ->> 'country_name') = 'polska'
                then 'PL'
        end
    )
    from (
        select (
            select region.name
            from registry.region
            where
                region.country_code = 'PL'
                and (
                    region.code = record ->> 'voivodeship_symbol'
                    or region.name = registry.lower(record ->> 'voivodeship')
                )
            order by region.code = record ->> 'voivodeship_symbol' desc
            limit 1
        ) as voivodeship
    ) as place
);

-- A phone number: blanks and dashes within it say nothing. Another text stays as it is.
create function stage.regon_phone(written text) returns text
language sql immutable
return case
    when written ~ '^\+?[0-9 ()/.-]+$' then translate(written, ' ()/.-', '')
    else written
end;
