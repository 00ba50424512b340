-- Loads the countries from their folders in sql/country: their rows, spellings, words and functions. The file
-- country_word.csv has the labels of dates and roles, the attributions of data sources, and the sentences about events.
\load registry.country from 'country/*/country.csv'
\load registry.spelling from 'country/*/spelling.csv'
\load registry.country_word from 'country/*/country_word.csv'
\load registry.region_shape from 'country/*/region_shape.csv'

-- Returns the description of an event type: the country's own description, else the description for all countries.
create or replace function registry.about_event(event_type text, country_code text) returns text
language sql stable parallel safe security definer
return (
    select coalesce(word.text, known.description)
    from registry.event_type as known
    left join registry.country_word as word
        on word.country_code = about_event.country_code
        and word.language = 'en'
        and word.word = 'about_' || known.event_type
    where known.event_type = about_event.event_type
);

-- Returns the country of a source; the default country for a source that registry.source_rank lacks. `source_country`
-- has the rights of the owner (`security definer`), so that analysts may call it.
create or replace function registry.source_country(source text) returns text
language sql stable parallel safe security definer
return coalesce(
    (
        select source_rank.country_code
        from registry.source_rank
        where source_rank.source = source_country.source
    ),
    (select country.country_code from registry.country where country.is_default)
);

-- Returns a line of text in which each word is replaced by its common spelling in registry.spelling. `folded_line` has
-- neither capital letters nor accents. A number is separated from its letter, so that '7a' and '7 a' become equal.
create or replace function registry.spell(country_code text, folded_line text) returns text
language sql stable parallel safe
return (
    select string_agg(coalesce(spelling.meaning, found.word[1]), ' ' order by found.position)
    from regexp_matches(
        folded_line,
        -- Matches runs of letters (all but ASCII signs and digits), runs of digits, and signs between numbers.
        '[^ -@[-`{-~]+|[0-9]+|[,/]|-(?=[0-9])',
        'g'
    ) with ordinality as found (word, position)
    left join registry.spelling
        on spelling.country_code = spell.country_code
        and spelling.written = found.word[1]
    where spelling.meaning is distinct from ''
);

\include 'country/*/functions.sql'

-- Creates an SQL function with the given name: a `case` expression over a key, with one branch per row of a dictionary.
-- The created function is fast, since the planner inlines it.
create or replace function registry.write_choice(
    name text, key text, result text, branches text, otherwise text, value_type text default 'text'
) returns void
language plpgsql as $$
begin
    execute format(
        'create or replace function registry.%I(%I text, value %s) returns %s
        language sql stable parallel safe
        return (case %2$I %5$s else %6$s end)::%4$s',
        name, key, value_type, result, coalesce(branches, 'when null then null'), otherwise
    );
end;
$$;

-- Creates general functions that call a country's own function where country.csv names one. `text_meaning` normalises
-- names, and `address_meaning` normalises addresses on one line. `telephone_meaning` takes a text of letters and
-- digits, and returns the national telephone number. `postal_code` returns a postal code in the country's format.
select registry.write_choice(
    common.name,
    'country_code',
    'text',
    (
        select string_agg(
            format('when %L then registry.%I(value)', country_code, to_jsonb(country) ->> common.name), ' '
        )
        from registry.country
        where to_jsonb(country) ->> common.name is not null
    ),
    common.expression
)
from (
    values
    ('text_meaning', 'registry.text_meaning(value)'),
    ('address_meaning', 'registry.spell(country_code, registry.text_meaning(country_code, value))'),
    ('telephone_meaning', $$regexp_replace(value, '^[a-z]*(00)?', '')$$),
    ('postal_code', 'value')
) as common (name, expression);

-- The meaning of a value is a normalised text that is equal for all spellings of the value. A field whose old and new
-- values have equal meanings is unchanged. Two registries that report equal meanings report the same change.

-- Returns the meaning of a list of persons: their normalised names in alphabetical order.
create or replace function registry.list_meaning(country_code text, value text) returns text
language sql stable parallel safe
return (
    select string_agg(meaning.name, '; ' order by meaning.name collate "C")
    from unnest(string_to_array(value, '; ')) as person (name)
    cross join lateral (
        select registry.text_meaning(country_code, person.name) as name
    ) as meaning
);

-- Returns the meaning of a value; the subject of its event type (registry.event_type) selects the normalisation.
create or replace function registry.value_meaning(country_code text, subject text, value text) returns text
language sql stable parallel safe
return case
    when subject in ('address', 'unit') then registry.address_meaning(country_code, value)
    when subject in ('phone', 'fax') then nullif(
        registry.telephone_meaning(country_code, regexp_replace(registry.fold(value), '[^0-9a-z]', '', 'g')), ''
    )
    when subject in ('website', 'e-mail')
        then regexp_replace(registry.lower(value), '^(https?://)?(www\.)?|/$', '', 'g')
    when subject in ('owner', 'shareholders', 'representation') then registry.list_meaning(country_code, value)
    else registry.text_meaning(country_code, value)
end;

-- Returns the meaning of an event: the meaning of its new value or, without a new value, of its old value. An event
-- about an end, proceedings or a return has an empty meaning, since registries state different dates or none.
create or replace function registry.event_meaning(country_code text, event_type text, old_value text, new_value text)
returns text
language sql stable parallel safe
return (
    select case
        when event_type.subject in ('bankruptcy', 'restructuring', 'strike-off', 'end date', 'return') then ''
        else registry.value_meaning(country_code, event_type.subject, coalesce(new_value, old_value))
    end
    from registry.event_type
    where event_type.event_type = event_meaning.event_type
);
