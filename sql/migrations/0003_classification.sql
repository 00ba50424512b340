-- The tables of the classifications of activities and legal forms, which are facts of public law. The rows are in
-- sql/country.

-- One row per classification of activities. `version` is the number of the classification in entries, which this
-- product assigns. `year` is the year in which the classification came into force.
create table registry.activity_scheme (
    version smallint primary key,
    scheme text not null,
    country_code text not null,
    name text not null,
    year smallint not null,
    constraint activity_scheme_scheme_key unique (scheme)
);

-- One row per activity code and classification. The same code means different things in two classifications, so the key
-- has both columns.
create table registry.activity_code (
    version smallint not null,
    code text not null,
    name text not null,
    constraint activity_code_pkey primary key (version, code),
    constraint activity_code_code_without_dots check (code ~ '^[0-9A-Z]{3,8}$')
);

-- One row per division (two digits) and group (three digits) of a classification that has names for them. Old entries
-- of KRS hold such codes instead of subclasses.
create table registry.activity_group (
    code text not null,
    name text not null,
    version smallint not null,
    constraint activity_group_pkey primary key (version, code)
);

-- One row per code of a classification and code of a later classification that may replace it. Every former code has a
-- row if the later classification covers its activity.
create table registry.activity_recoding (
    from_version smallint not null,
    from_code text not null,
    to_version smallint not null,
    to_code text not null,
    constraint activity_recoding_pkey primary key (from_version, from_code, to_version, to_code)
);

-- One row per section of the newest classification of a country, with its first and last division (the first two digits
-- of a code).
create table registry.activity_section (
    section text not null,
    name text not null,
    first_division text not null,
    last_division text not null,
    name_en text,
    country_code text not null,
    constraint activity_section_pkey primary key (country_code, section),
    constraint activity_section_of_one_letter check (section ~ '^[A-Z]$'),
    constraint activity_section_divisions_of_two_digits
        check (first_division ~ '^[0-9]{2}$' and last_division ~ '^[0-9]{2}$')
);

-- One row per division of the classifications of a country. Divisions of a former classification are in the sections of
-- the newest classification, so that a reclassified company keeps its section.
create table registry.activity_division (
    division text not null,
    section text not null,
    country_code text not null,
    constraint activity_division_pkey primary key (country_code, division)
);

-- One row per code of a former classification whose newest codes are all in one section, which is not the section of
-- its division. `section` is the section of the newest codes, so that a recoded entry keeps its section.
create table registry.activity_recoded (
    code text not null,
    section text not null,
    version smallint not null,
    constraint activity_recoded_pkey primary key (version, code)
);

-- One row per symbol of a legal form. `slug` identifies the form: a form has one slug under its old and its new symbol,
-- so that the recoding of forms by GUS in 2014 is no change of legal form. `name` is the official name,
-- `label` the displayed name. Symbols of the four forms of KRS that GUS does not know are K and its number in KRS.
create table registry.legal_form (
    symbol text not null,
    slug text collate "C" not null,
    name text not null,
    label text not null,
    label_en text,
    country_code text not null,
    constraint legal_form_pkey primary key (country_code, symbol),
    constraint legal_form_symbol_of_letters_and_digits check (symbol ~ '^[0-9A-Z]{1,8}$'),
    constraint legal_form_slug_kebab_case check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$')
);
