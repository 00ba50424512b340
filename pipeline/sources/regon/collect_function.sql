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
        'postal_code', case
            -- The reports leave out the dash.
            when place.country_code = 'PL' then regexp_replace(
                registry.postal_code_pl(record ->> 'postal_code'), '^([0-9]{2})([0-9]{3})$', '\1-\2'
            )
            else record ->> 'postal_code'
        end,
        'voivodeship', place.voivodeship,
        'country_code', place.country_code
    )
    from (
        select
            region.name as voivodeship,
            coalesce(
                registry.upper(record ->> 'country'),
                case
                    -- Of natural persons the country is often blank.
                    when region.name is not null then 'PL'
                    -- A name that is not known is noted.
                    when record ? 'country_name' then ''
                end
            ) as country_code
        from (select) as one
        left join lateral (
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
        ) as region on true
    ) as place
);

-- A phone number: blanks and dashes within it say nothing. Another text stays as it is.
create function stage.regon_phone(written text) returns text
language sql immutable
return case
    when written ~ '^\+?[0-9 ()/.-]+$' then translate(written, ' ()/.-', '')
    else written
end;
