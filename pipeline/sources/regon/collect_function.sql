-- Functions that the mapping of REGON calls more than once.

-- Returns the address of a record in the form of the snapshot. Symbols count before names, which drift.
create function stage.regon_address(record jsonb) returns jsonb
language sql stable
return (
    select jsonb_build_object(
        'street', coalesce(
            regexp_replace(record ->> 'street', '^(ul|al|pl|os)\.(?! )', '\1. '),
            -- The name of a place, such as a market hall, replaces a missing street and number.
            case when record ->> 'building' is null then record ->> 'place' end
        ),
        'building', record ->> 'building',
        'apartment', record ->> 'apartment',
        'city', record ->> 'city',
        'postal_code', case
            -- The reports write a Polish postal code without its dash.
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
                    -- The country of a natural person is often blank: a Polish voivodeship means Poland.
                    when region.name is not null then 'PL'
                    -- An unknown name of a country gives a blank code; the reader notes the name.
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

-- Returns a phone number without blanks and dashes, which have no meaning; any other text stays as it is.
create function stage.regon_phone(written text) returns text
language sql immutable
return case
    when written ~ '^\+?[0-9 ()/.-]+$' then translate(written, ' ()/.-', '')
    else written
end;
