-- Adds the other names and the attributes of entries, and the dictionaries of attributes. The rows of the dictionaries
-- are in sql/country.

-- `other_names`: the names of an entry beside the shown name, [{type, value}], such as signs, acronyms and former
-- names. The owner of a firm is no item: the columns `first_name` and `surname` hold the name, and
-- registry.shown_other_names adds it. The list is sorted, and null when empty. `attributes`: {type: value}, other facts
-- that the registry states; the year of a statistic follows the value, as in `12 2023`. A usual value is left out, and
-- a blank one is not stated by the registry; null: the registry states no attributes. The object takes a third of the
-- bytes of a list.
-- `content_hash` covers neither column, so that their changes are no events.
alter table registry.entry
add column other_names jsonb,
add column attributes jsonb;

-- One row per type of attribute and country. `rank` is the place in answers. `column_name`: the column of
-- registry.entry that holds the value; null: the column `attributes` holds the value. `usual_value`: the value of an entry
-- whose `attributes` lack the type; null: such an entry has none. `part_of`: another type, whose value
-- begins with the value of this type, as the code of a commune begins with the code of its department.
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

-- One row per code of an attribute, with its name. `least_employees`: the least number of employees that the code of a
-- workforce band means; null for any other code.
create table registry.attribute_value (
    attribute_type text not null,
    code text not null,
    label text not null,
    label_en text,
    least_employees integer,
    country_code text not null,
    constraint attribute_value_pkey primary key (country_code, attribute_type, code)
);
