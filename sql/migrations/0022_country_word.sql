-- What answers and pages say of a country.

-- One row per word of a country in a language; the language is empty where all share it. Of a snapshot: the
-- columns of dates, `owner`, and `division`, `group` and `class` for parts of codes without names of their
-- own. Of pages: `name` in a language that is neither the country's nor English, `region`, which word of the texts they take, `holds_` with a source, what that has, `credit_`
-- with a source, whom its data are from, where that is more than its name, `licence`, under which all of them may be used, `map`, the view box of the map, and `map_credit`, whom its outlines are from.
create table registry.country_word (
    country_code text not null,
    language text not null,
    word text not null,
    text text not null,
    constraint country_word_pkey primary key (country_code, language, word)
);

-- One row per region that the map of a country has: an SVG shape, the place of its label, and the letters
-- there.
create table registry.region_shape (
    country_code text not null,
    code text not null,
    letters text not null,
    x numeric not null,
    y numeric not null,
    shape text not null,
    constraint region_shape_pkey primary key (country_code, code),
    constraint region_shape_drawn check (shape ~ '^(rect|path)( [a-z]+="[-0-9A-Za-z., ]+")+$')
);

-- A feed of one country skips the ranges of others.
alter table registry.event_range add column country_code text;
update registry.event_range
set country_code = country.country_code
from registry.country
where country.is_default;
alter table registry.event_range alter column country_code set not null;

-- It takes a country now.
drop function if exists registry.end_publication(bigint, bigint);
