-- Returns the name of an entry; for an entry without a name, the first name and surname of its owner.
create or replace function registry.shown_name(name text, first_name text, surname text) returns text
language sql immutable parallel safe return coalesce(name, first_name || ' ' || surname, first_name, surname);

-- Returns the name of an entry for lists, search and exports; null if the owner objects to being found.
create or replace function registry.listed_name(entry registry.entry) returns text
language sql immutable parallel safe
return case
    when entry.is_partial is not true then registry.shown_name(entry.name, entry.first_name, entry.surname)
end;

-- Returns the additional names of an entry, with the name of its owner if this name differs from the name of the entry.
-- Returns null for an entry without additional names, and for an entry whose names are withheld or withdrawn.
create or replace function registry.shown_other_names(entry registry.entry) returns jsonb
language sql stable parallel safe
return case
    when
        entry.is_partial is not true
        and num_nonnulls(entry.first_name, entry.surname) > 0
        and registry.lower(entry.name) <> registry.lower(registry.shown_name(null, entry.first_name, entry.surname))
        then jsonb_build_array(
            jsonb_build_object(
                'type', 'owner', 'value', registry.shown_name(null, entry.first_name, entry.surname)
            )
        ) || coalesce(entry.other_names, '[]')
    else entry.other_names
end;

-- Returns the names of an entry's owners: each name once, but a name that two partners share twice.
create or replace function registry.owner_names(first_name text, surname text, persons jsonb) returns text
language sql immutable parallel safe
return (
    select string_agg(owner.name, '; ' order by owner.name collate "C")
    from (
        select nullif(concat_ws(' ', first_name, surname), '') as name, null as partner
        union
        select
            person.value ->> 'full_name',
            case person.value ->> 'kind' when 'partner' then coalesce(person.value ->> 'number', position::text) end
        from jsonb_array_elements(persons) with ordinality as person (value, position)
        where person.value ->> 'kind' in ('owner', 'partner')
    ) as owner
);

-- Returns the names of an entry's persons of one kind, such as shareholders; a representative's role follows the name
-- in parentheses. Equal names are not merged, since a registry may mask the names of different persons in the same way.
create or replace function registry.person_names(kind text, persons jsonb) returns text
language sql immutable parallel safe
return (
    select string_agg(shown.name, '; ' order by shown.name collate "C")
    from (
        select concat(
            person.value ->> 'full_name',
            case when kind = 'representative' then ' (' || nullif(person.value ->> 'role', '') || ')' end
        ) as name
        from jsonb_array_elements(persons) as person
        where person.value ->> 'kind' = person_names.kind
    ) as shown
);

-- Returns texts that identify an entry's persons of one kind: the number of a person, else the normalised name.
create or replace function registry.person_keys(country_code text, kind text, persons jsonb) returns text
language sql stable parallel safe
return (
    select string_agg(known.key, '; ' order by known.key collate "C")
    from (
        select coalesce(
            person.value ->> 'number', registry.text_meaning(country_code, person.value ->> 'full_name')
        ) as key
        from jsonb_array_elements(persons) as person
        where person.value ->> 'kind' = person_keys.kind
    ) as known
);
