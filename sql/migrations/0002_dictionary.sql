-- The dictionaries: facts of public law and the knowledge about events, joined by everything else.
-- The rows are those of sql/dictionary, which sql/function/00_dictionary.sql loads.

-- One row per activity code (subclass of the PKD) and version of the classification.
-- The same code means different things in the two versions, so that neither column is a key alone.
create table registry.activity_code (
    version smallint not null,
    code text not null,
    name text not null,
    constraint activity_code_pkey primary key (version, code),
    constraint activity_code_version_known check (version in (2007, 2025)),
    constraint activity_code_code_without_dots check (code ~ '^[0-9]{4}[A-Z]$')
);

-- One row per division (two digits) and group (three digits) of the PKD of 2007. Old entries of KRS hold
-- such codes in place of subclasses.
create table registry.activity_group (
    code text primary key,
    name text not null,
    constraint activity_group_code_of_two_or_three_digits check (code ~ '^[0-9]{2,3}$')
);

-- One row per code of 2007 and code of 2025 that may take its place. Every code of 2007 has a row.
create table registry.activity_key (
    code_2007 text not null,
    code_2025 text not null,
    constraint activity_key_pkey primary key (code_2007, code_2025)
);

-- One row per section of the PKD 2025, with the divisions (the first two digits of a code) that it
-- holds.
create table registry.activity_section (
    section text primary key,
    first_division text not null,
    last_division text not null,
    name text not null,
    constraint activity_section_of_one_letter check (section ~ '^[A-V]$'),
    constraint activity_section_divisions_of_two_digits
        check (first_division ~ '^[0-9]{2}$' and last_division ~ '^[0-9]{2}$')
);

-- One row per division of either version of the PKD. Division 45 of 2007, the trade in vehicles, is in
-- the section that took it over: a company that is reclassified keeps its section.
create table registry.activity_division (
    division text primary key,
    section text not null references registry.activity_section
);

-- One row per symbol of a GUS "szczególna forma prawna" and period in which its name was in force.
-- slug identifies the form. The symbols of two digits ended with November 2014; a form has one slug
-- under its old and its new symbol, so that the recoding is no change of legal form. name is the
-- official name, label the one to show. Slug and label depend on the symbol alone, not on the
-- period: a look-up by symbol (served by the primary key) takes any of its rows.
-- KRS has four forms that GUS does not: their symbols are K and the number of the form in KRS.
-- The source ends 113 (prosta spółka akcyjna) on the day on which it begins; the form is in force,
-- so that it has no valid_to here.
create table registry.legal_form (
    symbol text not null,
    valid_from date not null,
    valid_to date,
    slug text collate "C" not null,
    name text not null,
    label text not null,
    constraint legal_form_pkey primary key (symbol, valid_from),
    constraint legal_form_symbol_of_two_or_three_digits check (symbol ~ '^K?[0-9]{2,3}$'),
    constraint legal_form_period_in_order check (valid_to >= valid_from),
    constraint legal_form_slug_kebab_case check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$')
);

-- One row per voivodeship; the TERYT symbol is its key, name is the Polish name in lower case.
create table registry.voivodeship (
    teryt text primary key,
    name text not null unique deferrable,
    slug text not null unique deferrable,
    constraint voivodeship_teryt_of_two_digits check (teryt ~ '^[0-9]{2}$'),
    constraint voivodeship_slug_kebab_case check (slug ~ '^[a-z]+(-[a-z]+)*$')
);

-- One row per level of severity; rank orders them from the least to the most critical.
create table registry.severity (
    severity text primary key,
    rank smallint not null unique deferrable,
    constraint severity_rank_positive check (rank > 0)
);

-- One row per event type; its severity, class and category are fixed here and nowhere else. `subject`
-- is what the event is about. `changes`: of a value that can be added, changed or removed, those that
-- are events of this type.
create table registry.event_type (
    event_type text collate "C" primary key,
    severity text not null references registry.severity,
    event_class text not null,
    category text not null,
    subject text not null,
    changes text[],
    description text not null,
    constraint event_type_event_class_known check (
        event_class in ('initialization', 'change', 'growth', 'risk', 'anomaly', 'recovery')
    ),
    constraint event_type_category_known check (
        category in (
            'status', 'identity', 'location', 'ownership', 'activities', 'contacts', 'web_presence',
            'finance'
        )
    ),
    constraint event_type_event_type_upper_case check (event_type ~ '^[A-Z]+(_[A-Z]+)*$')
);

-- One row per word of addresses, or ending of an ordinal, that registries write in several ways: without
-- case, accents and dots; the words of one meaning are one. An empty meaning: the word says nothing.
create table registry.spelling (
    written text primary key,
    meaning text not null,
    constraint spelling_written_folded check (written ~ '^[a-z]+$')
);
