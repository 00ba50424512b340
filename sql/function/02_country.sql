-- The countries, each as its folder in sql/country says it: its row, the spelling of its words, and its
-- functions. What all of them have in common stands here and in 05_same_change.sql.
select registry.start_loading('registry.country');
\copy loaded (name, name_en, time_zone, language, is_default, activity_pattern, activity_group_pattern, text_meaning, address_meaning, telephone_meaning, postal_code) from 'country/*/country.csv'
select registry.load_dictionary('registry.country');

select registry.start_loading('registry.spelling');
\copy loaded (written, meaning) from 'country/*/spelling.csv'
select registry.load_dictionary('registry.spelling');

select registry.start_loading('registry.country_word');
\copy loaded (language, word, text) from 'country/*/country_word.csv'
select registry.load_dictionary('registry.country_word');

select registry.start_loading('registry.region_shape');
\copy loaded (code, letters, x, y, shape) from 'country/*/region_shape.csv'
select registry.load_dictionary('registry.region_shape');

-- What is meant where no country is asked for.
create or replace function registry.default_country() returns text
language sql stable parallel safe
return (select country.country_code from registry.country where country.is_default);

-- The meaning of an event type, in the words of a country; where the country has none, in those of all countries.
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

-- The country of a source; one without ranks is of the default country. Analysts ask with the rights of the
-- owner.
create or replace function registry.source_country(source text) returns text
language sql stable parallel safe security definer
return coalesce(
    (
        select source_rank.country_code
        from registry.source_rank
        where source_rank.source = source_country.source
    ),
    registry.default_country()
);

-- A line without case and accents, word by word, with one spelling of each word of registry.spelling, and of
-- '7A'.
create or replace function registry.spell(country_code text, folded_line text) returns text
language sql stable parallel safe
return (
    select string_agg(coalesce(spelling.meaning, found.word[1]), ' ' order by found.position)
    from regexp_matches(
        folded_line,
        -- Runs of letters (all but the signs of ASCII), runs of digits, and the signs between numbers.
        '[^ -@[-`{-~]+|[0-9]+|[,/]|-(?=[0-9])',
        'g'
    ) with ordinality as found (word, position)
    left join registry.spelling
        on spelling.country_code = spell.country_code
        and spelling.written = found.word[1]
    where spelling.meaning is distinct from ''
);

\include 'country/*/functions.sql'

-- The functions that a country may replace, as a branch a country: a row costs one comparison of texts.
-- `text_meaning` is of names, `address_meaning` of an address on one line. `telephone_meaning` takes letters and digits alone, and
-- leaves the national number. `postal_code` writes a code as the country does.
do $do$
declare
    rule record;
begin
    for rule in
        select
            common.name,
            common.expression,
            coalesce(
                string_agg(
                    format(
                        'when %L then registry.%I(value)',
                        country.country_code,
                        to_jsonb(country) ->> common.name
                    ),
                    ' ' order by country.country_code
                ) filter (where to_jsonb(country) ->> common.name is not null),
                'when null then null'
            ) as branches
        from (
            values
            (1, 'text_meaning', 'registry.text_meaning(value)'),
            (
                2, 'address_meaning',
                'registry.spell(country_code, registry.text_meaning(country_code, value))'
            ),
            (3, 'telephone_meaning', $$regexp_replace(value, '^[a-z]*(00)?', '')$$),
            (4, 'postal_code', 'value')
        ) as common (place, name, expression)
        left join registry.country on true
        group by common.place, common.name, common.expression
        order by common.place
    loop
        execute format(
            'create or replace function registry.%I(country_code text, value text) returns text
            language sql stable parallel safe
            return case country_code %s else %s end',
            rule.name, rule.branches, rule.expression
        );
    end loop;
end;
$do$;
