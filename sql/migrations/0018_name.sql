-- Adds other names and attributes to entries, and creates dictionaries of attributes, whose rows are in sql/country.

-- `other_names` is a list of {type, value}: the names of an entry besides its shown name, such as signs, acronyms and
-- former names. The owner of a firm is not in the list: `first_name` and `surname` hold the owner's name, and
-- registry.shown_other_names adds it. The list is sorted, and null when it is empty. `attributes` is an object {type:
-- value} of other facts that the registry states. The year of a statistic follows its value, as in `12 2023`. A type
-- that is left out has its usual value, a blank value is unknown, and a null object means that the registry states no
-- attributes. An object takes a third of the bytes of a list. `content_hash` covers neither `other_names` nor
-- `attributes`, so that their changes are no events.
alter table registry.entry
add column other_names jsonb,
add column attributes jsonb;

-- One row per country and type of attribute. `rank` orders the attributes in answers of the API. `column_name` is the
-- column of registry.entry that holds the value; null: the column `attributes` holds the value. `usual_value` is the
-- value of an entry whose `attributes` lack the type; null: the entry has no value. `part_of` is another type whose
-- value begins with the value of this type, as the code of a commune begins with the code of its department.
create table registry.attribute_type (
    attribute_type text not null,
    rank smallint not null,
    label text not null,
    label_en text not null,
    column_name text,
    usual_value text,
    part_of text,
    country_code text not null,
    constraint attribute_type_pkey primary key (country_code, attribute_type)
);

-- One row per code of an attribute, with the name of the code. `least_employees` is the smallest number of employees in
-- the workforce band of the code; null for other attributes.
create table registry.attribute_value (
    attribute_type text not null,
    code text not null,
    label text not null,
    label_en text,
    least_employees integer,
    country_code text not null,
    constraint attribute_value_pkey primary key (country_code, attribute_type, code)
);
