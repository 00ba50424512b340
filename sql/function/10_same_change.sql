-- What a value means, however a registry spells it: two values with one meaning are no change, and two
-- registries that tell one meaning tell one change.

-- A list of persons in any order.
create or replace function registry.list_meaning(country_code text, value text) returns text
language sql stable parallel safe
return (
    select string_agg(meaning.name, '; ' order by meaning.name collate "C")
    from unnest(string_to_array(value, '; ')) as person (name)
    cross join lateral (
        select registry.text_meaning(country_code, person.name) as name
    ) as meaning
);

-- The meaning of a value in a country by the subject of its event (registry.event_type).
create or replace function registry.value_meaning(
    country_code text,
    subject text,
    value text
) returns text
language sql stable parallel safe
return case
    when subject in ('address', 'unit') then registry.address_meaning(country_code, value)
    when subject in ('phone', 'fax') then nullif(
        registry.telephone_meaning(
            country_code, regexp_replace(registry.fold(value), '[^0-9a-z]', '', 'g')
        ),
        ''
    )
    when subject in ('website', 'e-mail') then regexp_replace(
        registry.lower(value), '^(https?://)?(www\.)?|/$', '', 'g'
    )
    when subject in ('owner', 'shareholders', 'representation')
        then registry.list_meaning(country_code, value)
    else registry.text_meaning(country_code, value)
end;

-- What an event says of a company: its new value, or the old one where there is no new one. Of an end,
-- of proceedings and of a return the kind says all: registries differ in the day, or lack it.
create or replace function registry.event_meaning(
    country_code text,
    event_type text,
    old_value text,
    new_value text
) returns text
language sql stable parallel safe
return (
    select case
        when event_type.subject in (
            'bankruptcy', 'restructuring', 'strike-off', 'end date', 'return'
        ) then ''
        else registry.value_meaning(
            country_code, event_type.subject, coalesce(new_value, old_value)
        )
    end
    from registry.event_type
    where event_type.event_type = event_meaning.event_type
);
