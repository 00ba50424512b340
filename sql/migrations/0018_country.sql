-- A country is data: its dictionaries lie in sql/country/<country code>. What stands here so far is Poland's.

-- One row per country. `is_default`: what is meant where no country is asked for. The patterns are those of
-- an activity code and of a division, group or class, without dots. `address_meaning`,
-- `telephone_meaning` and `postal_code` name functions of the schema registry, of a text that give a text;
-- null: the common rule. `closed_words` is a pattern: the type of a date on which a unit ended.
create table registry.country (
    country_code text primary key,
    name text not null,
    name_en text not null,
    time_zone text not null,
    language text not null,
    is_default boolean not null,
    activity_pattern text not null,
    activity_group_pattern text not null,
    address_meaning text,
    telephone_meaning text,
    postal_code text,
    closed_words text,
    constraint country_code_of_two_letters check (country_code ~ '^[A-Z]{2}$')
);

insert into registry.country (
    country_code, name, name_en, time_zone, language, is_default, activity_pattern,
    activity_group_pattern
)
values ('PL', 'Polska', 'Poland', 'Europe/Warsaw', 'pl', true, '[0-9]{4}[A-Z]', '[0-9]{2,4}');

-- One row per region of a country, by the code that its statistical office gives.
alter table registry.population drop constraint population_voivodeship_fkey;
alter table registry.voivodeship rename to region;
alter table registry.region rename column teryt to code;
alter table registry.region
drop constraint voivodeship_pkey,
drop constraint voivodeship_name_key,
drop constraint voivodeship_slug_key,
drop constraint voivodeship_teryt_of_two_digits,
drop constraint voivodeship_slug_kebab_case,
add column country_code text not null default 'PL',
add constraint region_pkey primary key (country_code, code),
add constraint region_slug_key unique (country_code, slug) deferrable,
add constraint region_slug_kebab_case check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$');
alter table registry.region alter column country_code drop default;

-- Processes of 1.0.0 read this while a database is upgraded.
create view registry.voivodeship as
select region.code as teryt, region.name, region.slug, region.country_code
from registry.region
join registry.country using (country_code)
where country.is_default;

alter table registry.population
add column country_code text not null default 'PL',
drop constraint population_pkey,
add constraint population_pkey primary key (country_code, voivodeship);
alter table registry.population alter column country_code drop default;

-- The key of a legal form is its symbol in its country.
alter table registry.legal_form
add column country_code text not null default 'PL',
drop constraint legal_form_pkey,
drop constraint legal_form_symbol_of_two_or_three_digits,
add constraint legal_form_pkey primary key (country_code, symbol, valid_from),
add constraint legal_form_symbol_of_letters_and_digits check (symbol ~ '^[0-9A-Z]{1,8}$');
alter table registry.legal_form alter column country_code drop default;

-- One row per classification of activities. `version` is a number of ours that entries hold, `year` the
-- one in which the classification came into force.
create table registry.activity_scheme (
    version smallint primary key,
    scheme text not null,
    country_code text not null,
    name text not null,
    year smallint not null,
    constraint activity_scheme_scheme_key unique (scheme) deferrable
);

alter table registry.activity_code
drop constraint activity_code_version_known,
drop constraint activity_code_code_without_dots,
add constraint activity_code_code_without_dots check (code ~ '^[0-9A-Z]{3,8}$');

alter table registry.activity_group
add column version smallint not null default 2007,
drop constraint activity_group_pkey,
drop constraint activity_group_code_of_two_or_three_digits,
add constraint activity_group_pkey primary key (version, code);
alter table registry.activity_group alter column version drop default;

-- One row per code of a classification and code of a later one that may take its place. Every code of
-- the former has a row, where the later one has a place for it.
create table registry.activity_recoding (
    from_version smallint not null,
    from_code text not null,
    to_version smallint not null,
    to_code text not null,
    constraint activity_recoding_pkey primary key (from_version, from_code, to_version, to_code)
);
drop table registry.activity_key;

-- Sections are those of the newest classification of a country; its former ones have their divisions there.
alter table registry.activity_recoded drop constraint activity_recoded_section_fkey;
alter table registry.activity_division drop constraint activity_division_section_fkey;

alter table registry.activity_section
add column country_code text not null default 'PL',
drop constraint activity_section_pkey,
drop constraint activity_section_of_one_letter,
add constraint activity_section_pkey primary key (country_code, section),
add constraint activity_section_of_one_letter check (section ~ '^[A-Z]$');
alter table registry.activity_section alter column country_code drop default;

alter table registry.activity_division
add column country_code text not null default 'PL',
drop constraint activity_division_pkey,
add constraint activity_division_pkey primary key (country_code, division);
alter table registry.activity_division alter column country_code drop default;

alter table registry.activity_recoded
add column version smallint not null default 2007,
drop constraint activity_recoded_pkey,
add constraint activity_recoded_pkey primary key (version, code);
alter table registry.activity_recoded alter column version drop default;

alter table registry.spelling
add column country_code text not null default 'PL',
drop constraint spelling_pkey,
drop constraint spelling_written_folded,
add constraint spelling_pkey primary key (country_code, written),
add constraint spelling_written_folded check (written !~ '[A-Z ]');
alter table registry.spelling alter column country_code drop default;

-- The country of a source.
alter table registry.source_rank add column country_code text not null default 'PL';
alter table registry.source_rank alter column country_code drop default;

-- They take a country now.
drop function if exists
registry.legal_form_slug(text),
registry.is_unit_closed(jsonb),
registry.postal_code(text),
registry.address_meaning(text),
registry.value_meaning(text, text),
registry.event_meaning(text, text, text),
registry.is_cancelled(text);
