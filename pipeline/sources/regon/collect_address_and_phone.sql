-- Functions for addresses and phone numbers, which the mapping of REGON calls.

-- Returns the address in a record of REGON, with the keys of an address in an entry's `units`.
create function stage.regon_address(record jsonb) returns jsonb
language sql stable
return (
    select jsonb_build_object(
        'street', coalesce(
            regexp_replace(record ->> 'street', '^(ul|al|pl|os)\.(?! )', '\1. '),
            -- An address without street and number may have the name of a place, such as a market hall.
            case when record ->> 'building' is null then record ->> 'place' end
        ),
        'building', record ->> 'building',
        'apartment', record ->> 'apartment',
        'city', record ->> 'city',
        'postal_code', case
            -- REGON writes a Polish postal code without a dash, so the dash is added.
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
                    -- The country in a person's address is often blank; a Polish voivodeship then means Poland.
                    when region.name is not null then 'PL'
                    -- If the country's name is unknown, the code is a blank, and regon/answer.ts notes the name.
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

-- Returns a phone number without blanks, dots, brackets, slashes and dashes, and any other text unchanged.
create function stage.regon_phone(written text) returns text
language sql immutable
return case
    when written ~ '^\+?[0-9 ()/.-]+$' then translate(written, ' ()/.-', '')
    else written
end;
