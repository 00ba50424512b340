-- What a value means, however a registry spells it: two values with one meaning are no change, and two
-- registries that tell one meaning tell one change.

-- A text without case, accents, quotation marks, and blanks around signs. unaccent would make commas of
-- some quotation marks.
create or replace function registry.text_meaning(value text) returns text
language sql stable parallel safe
return regexp_replace(
    registry.fold(translate(value, '"''„”“‟‚‘’`´«»', '')), ' *([.,&-]) *|( ) +', '\1\2', 'g'
);

-- An address on one line, word by word: one spelling of each word of registry.spelling, of a postal code,
-- of '7A', and of a city that is a county of its own ('m.st.'). KRS repeats the name of a village without
-- streets as its street.
create or replace function registry.address_meaning(line text) returns text
language sql stable parallel safe
return (
    select regexp_replace(
        regexp_replace(
            string_agg(coalesce(spelling.meaning, found.word[1]), ' ' order by found.position),
            '(^|, )([0-9]{5} )?m (st )?',
            '\1\2'
        ),
        '^([^0-9,]+) ((dz )?[0-9][^,]*, ([0-9]{5} )?)\1(?= ,|$)',
        '\2\1'
    )
    from regexp_matches(
        regexp_replace(
            registry.text_meaning(line), '(^|,)([0-9]{2})[ -]?([0-9]{3})(?![0-9])', '\1\2\3'
        ),
        -- Runs of letters (all but the signs of ASCII), runs of digits, and the signs between numbers.
        '[^ -@[-`{-~]+|[0-9]+|[,/]|-(?=[0-9])',
        'g'
    ) with ordinality as found (word, position)
    left join registry.spelling on spelling.written = found.word[1]
    where spelling.meaning is distinct from ''
);

-- A list of persons in any order.
create or replace function registry.list_meaning(value text) returns text
language sql stable parallel safe
return (
    select string_agg(person.name, '; ' order by person.name collate "C")
    from unnest(string_to_array(registry.text_meaning(value), '; ')) as person (name)
);

-- The meaning of a value by the subject of its event (registry.event_type).
create or replace function registry.value_meaning(subject text, value text) returns text
language sql stable parallel safe
return case
    when subject in ('address', 'unit') then registry.address_meaning(value)
    -- The national number: without the prefix of the country and the 0 before the area code.
    when subject in ('phone', 'fax') then nullif(
        regexp_replace(
            regexp_replace(registry.fold(value), '[^0-9a-z]', '', 'g'),
            '^[a-z]*(00)?(48)?0?(?=[0-9]{9}([a-z]|$))|^00',
            ''
        ),
        ''
    )
    when subject in ('website', 'e-mail') then regexp_replace(
        registry.lower(value), '^(https?://)?(www\.)?|/$', '', 'g'
    )
    when subject in ('owner', 'shareholders', 'representation') then registry.list_meaning(value)
    else registry.text_meaning(value)
end;

-- What an event says of a company: its new value, or the old one where there is no new one. Of an end,
-- of proceedings and of a return the kind says all: registries differ in the day, or lack it.
create or replace function registry.event_meaning(
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
        else registry.value_meaning(event_type.subject, coalesce(new_value, old_value))
    end
    from registry.event_type
    where event_type.event_type = event_meaning.event_type
);
