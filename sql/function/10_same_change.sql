-- Defines the meaning of a value, whatever its spelling. Two values with one meaning are no change, and two registries
-- that report one meaning report one change.

-- Returns the meaning of a list of persons, whatever their order.
create or replace function registry.list_meaning(country_code text, value text) returns text
language sql stable parallel safe
return (
    select string_agg(meaning.name, '; ' order by meaning.name collate "C")
    from unnest(string_to_array(value, '; ')) as person (name)
    cross join lateral (
        select registry.text_meaning(country_code, person.name) as name
    ) as meaning
);

-- Returns the meaning of a value in a country by the subject of its event (registry.event_type).
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

-- Returns the meaning of an event: of its new value, or of its old value without a new one. For an end, proceedings
-- and a return, the type of the event suffices: registries differ in the day, or lack it.
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
