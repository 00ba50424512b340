-- The tables of countries. A country is data: the rows are in sql/country/<country code>, and sql/function loads them.

-- One row per country. `is_default`: whether a request without a country is about this country. `activity_pattern`
-- matches an activity code without dots, `activity_group_pattern` a division, group or class. `text_meaning`,
-- `address_meaning`, `telephone_meaning` and `postal_code` name functions of the schema registry from text to text;
-- null: the common rule.
create table registry.country (
    country_code text primary key,
    name text not null,
    name_en text not null,
    time_zone text not null,
    language text not null,
    is_default boolean not null,
    activity_pattern text not null,
    activity_group_pattern text not null,
    text_meaning text,
    address_meaning text,
    telephone_meaning text,
    postal_code text,
    constraint country_code_of_two_letters check (country_code ~ '^[A-Z]{2}$')
);

-- One row per region of a country, with the code of the statistical office. `name` is in the language of the country,
-- in lower case.
create table registry.region (
    name text not null,
    code text not null,
    slug text not null,
    country_code text not null,
    constraint region_pkey primary key (country_code, code),
    constraint region_slug_key unique (country_code, slug),
    constraint region_slug_kebab_case check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$')
);

-- One row per region on the map of a country: its SVG shape, and the position and letters of its label.
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

-- One row per region, with its inhabitants in a year, for rates. `source` names the publication of the count.
create table registry.population (
    voivodeship text not null,
    population integer not null,
    year smallint not null,
    source text not null,
    country_code text not null,
    constraint population_pkey primary key (country_code, voivodeship),
    constraint population_positive check (population > 0)
);

-- One row per word of a country in a language; the language is empty where all languages share the word. Words of a
-- snapshot: the columns of dates, `owner`, and `division`, `group` and `class` for parts of codes without names of
-- their own. Words of pages:
-- `name`: the name of the country in a language that is neither its own nor English.
-- `region`: the key of the word for a region, such as `voivodeship`.
-- `holds_<source>`: the content of the source. `credit_<source>`: the origin of its data beyond its name. `licence`:
-- the licence of all data. `map`: the view box of the map. `map_credit`: the origin of the map's outlines.
create table registry.country_word (
    country_code text not null,
    language text not null,
    word text not null,
    text text not null,
    constraint country_word_pkey primary key (country_code, language, word)
);

-- One row per word of addresses, or ending of an ordinal, that registries spell in several ways. `written` is in lower
-- case, without accents and dots. Words with the same `meaning` compare as the same word. A word with an empty
-- `meaning` is ignored.
create table registry.spelling (
    written text not null,
    meaning text not null,
    country_code text not null,
    constraint spelling_pkey primary key (country_code, written),
    constraint spelling_written_folded check (written !~ '[A-Z ]')
);

-- One row per type of number. `rank`: the number of the first rank is shown where a company is shown with one number;
-- the columns `nip`, `regon9` and `krs` come first, in this order.
-- `pattern` is the form of a number, `check_function` names a function of the schema registry that checks its digits;
-- `form` describes both for people.
-- `stored_in` is the place of a number in an entry. 'nip', 'regon9', 'krs' and 'numbers' are columns, 'key' is the key
-- of the entry, 'unit' is the number of its first unit.
-- `company_type`: the first `company_length` characters of the number are the company's number of this type. Null where
-- the number itself names the company.
-- `links`: whether entries that share the number are one company. The columns `nip`, `regon9` and `krs` have their own
-- rules.
-- `reject_code`, `reject_name`: the reject code of a record with a wrong number, and the name of the number in the
-- reason; null: a wrong number rejects no record.
-- `event_subject`: the subject of the events about a new or changed number; null: a change is no event.
create table registry.identifier_type (
    identifier_type text primary key,
    country_code text not null,
    rank smallint not null,
    pattern text not null,
    form text not null,
    check_function text,
    stored_in text not null,
    company_type text,
    company_length smallint,
    links boolean not null,
    reject_code text,
    reject_name text,
    event_subject text,
    constraint identifier_type_rank_key unique (country_code, rank),
    constraint identifier_type_stored_in_known check (stored_in in ('nip', 'regon9', 'krs', 'key', 'unit', 'numbers')),
    constraint identifier_type_company_whole check (num_nulls(company_type, company_length) in (0, 2)),
    constraint identifier_type_of_unit_names_company check (stored_in <> 'unit' or company_type is not null)
);

-- One row per source, with its rank for each field that search shows. If the entries of a company differ, search shows
-- the value with the smallest rank; a deleted entry counts only if no other entry has the field. `address` is the rank
-- for voivodeship, city and postal code together, which come from one entry.
create table registry.source_rank (
    source text primary key,
    name smallint not null,
    legal_form smallint not null,
    address smallint not null,
    activity_main smallint not null,
    activity_start smallint not null,
    nip smallint not null,
    regon9 smallint not null,
    krs smallint not null,
    country_code text not null
);
