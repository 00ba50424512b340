-- Loads the types of the numbers that identify companies, such as NIP, and defines the functions for such numbers. Each
-- source's map.sql and api/companies/identifier.ts remove blanks and dashes from numbers. The check functions of
-- country/*/functions.sql refuse a number that consists only of zeros, which would link unrelated companies.
\load registry.identifier_type from 'country/*/identifier_type.csv'

-- Returns whether a value is a valid number of a type; null for an unknown type.
select registry.write_choice(
    'is_number',
    'identifier_type',
    'boolean',
    string_agg(
        case
            when check_function is null then format('when %L then value ~ %L', identifier_type, pattern)
            else format('when %L then registry.%I(value)', identifier_type, check_function)
        end,
        ' '
    ),
    'null'
)
from registry.identifier_type;

-- Returns an entry key as a JSON object such as {"SIREN": "…"}; null in a country whose entry keys are no numbers.
select registry.write_choice(
    'key_number',
    'country_code',
    'jsonb',
    string_agg(format('when %L then jsonb_build_object(%L, value)', country_code, identifier_type), ' '),
    'null'
)
from registry.identifier_type
where stored_in = 'key';

-- Returns a number as a JSON object for API responses; null without a number.
create or replace function registry.shown_number(type text, value text, rank integer) returns jsonb
language sql stable parallel safe
return case
    when value is not null then jsonb_build_object('type', type, 'value', value, 'rank', rank)
end;

-- Returns the numbers of a company as a JSON array for API responses.
select registry.write_choice(
    'company_numbers', 'country_code', 'jsonb',
    string_agg(format('when %L then to_jsonb(array_remove(array[%s], null))', country_code, items), ' '),
    'null', 'registry.company'
)
from (
    select
        country_code,
        string_agg(
            format(
                'registry.shown_number(%L, %s, %s)',
                identifier_type,
                case
                    when stored_in in ('key', 'numbers') then format('value.numbers ->> %L', identifier_type)
                    else 'value.' || stored_in
                end,
                rank
            ),
            ', ' order by rank
        ) as items
    from registry.identifier_type
    where stored_in <> 'unit'
    group by country_code
) as country;

create or replace function registry.shown_numbers(company registry.company) returns jsonb
language sql stable parallel safe return registry.company_numbers(company.country_code, company);

-- Returns the number that names a company in API responses: the first of its numbers by rank, or null without a number.
-- The function `registry.identifier_type` returns the type of the number.
create or replace function registry.primary_identifier(company registry.company) returns text
language sql stable parallel safe return registry.shown_numbers(company) #>> '{0,value}';

create or replace function registry.identifier_type(company registry.company) returns text
language sql stable parallel safe return registry.shown_numbers(company) #>> '{0,type}';

-- Returns, as a JSON object, the numbers that identify the company of an entry, except NIP, REGON and KRS number.
create or replace function registry.naming_numbers(country_code text, entry_key text, numbers jsonb) returns jsonb
language sql stable parallel safe
return coalesce(
    numbers || registry.key_number(country_code, entry_key),
    registry.key_number(country_code, entry_key),
    numbers
);

-- Returns one row per identifying number of an entry. `event_subject` is the subject of events about the number.
create or replace function registry.list_numbers(
    country_code text,
    nip text,
    regon9 text,
    krs text,
    numbers jsonb,
    entry_key text,
    units jsonb
)
returns table (identifier_type text, identifier_value text, rank smallint, event_subject text)
language sql stable parallel safe as $$
    select type.identifier_type, number.value, type.rank, type.event_subject
    from registry.identifier_type as type
    cross join lateral (
        select case type.stored_in
            when 'nip' then nip
            when 'regon9' then regon9
            when 'krs' then krs
            when 'key' then entry_key
            when 'unit' then units #>> '{0,identifier}'
            else numbers ->> type.identifier_type
        end as value
    ) as number
    where type.country_code = list_numbers.country_code and number.value is not null
$$;

create or replace function registry.entry_numbers(entry registry.entry)
returns table (identifier_type text, identifier_value text, rank smallint, event_subject text)
language sql stable parallel safe as $$
    select *
    from registry.list_numbers(
        entry.country_code, entry.nip, entry.regon9, entry.krs, entry.numbers, entry.entry_key, entry.units
    )
$$;

create or replace function registry.shown_numbers(entry registry.entry) returns jsonb
language sql stable parallel safe
return (
    select coalesce(
        jsonb_agg(registry.shown_number(identifier_type, identifier_value, rank) order by rank), '[]'
    )
    from registry.entry_numbers(entry)
);

-- Returns the identifying numbers, such as NIP, that differ between two states of an entry, with their types.
create or replace function registry.changed_numbers(before registry.entry, after registry.entry)
returns table (identifier_type text, event_subject text, old_value text, new_value text)
language sql stable parallel safe as $$
    select
        identifier_type,
        coalesce(former.event_subject, latter.event_subject),
        former.identifier_value,
        latter.identifier_value
    from registry.entry_numbers(before) as former
    full join registry.entry_numbers(after) as latter using (identifier_type)
    where
        (
            before.nip, before.regon9, before.krs, before.entry_key, before.numbers,
            before.units #>> '{0,identifier}'
        )
        is distinct from
        (
            after.nip, after.regon9, after.krs, after.entry_key, after.numbers,
            after.units #>> '{0,identifier}'
        )
        and former.identifier_value is distinct from latter.identifier_value
$$;

-- Returns the entries that now have the given number. One query for all number types would take twenty times as long.
create or replace function registry.entries_with(number_type text, number text) returns setof registry.entry
language plpgsql stable parallel safe as $$
declare
    kind registry.identifier_type;
begin
    select type.* into kind from registry.identifier_type as type where type.identifier_type = number_type;
    case kind.stored_in
        when 'nip' then
            return query select * from registry.entry where nip = number and country_code = kind.country_code;
        when 'regon9' then
            return query select * from registry.entry where regon9 = number and country_code = kind.country_code;
        when 'krs' then
            return query select * from registry.entry where krs = number and country_code = kind.country_code;
        when 'key' then
            return query select * from registry.entry where entry_key = number and country_code = kind.country_code;
        else
            return query
            select * from registry.entry
            where
                numbers @> jsonb_build_object(number_type, number)
                and numbers is not null
                and country_code = kind.country_code;
    end case;
end;
$$;

-- Returns the id of the company that has the number now. Of several companies with the number, a company with an entry
-- that is not deleted takes precedence, then the oldest company. For a number without a company, returns the company
-- that lost it last. Returns null for an unknown number, and for the number of a unit (establishment) that its company
-- never opened. A withdrawn (hidden) entry lists no units, so that any unit number of its company is accepted. If
-- `number_type` is null, `number` is a company id; for a merged company, the remaining company's id is returned.
create or replace function registry.find_company(number_type text, number text) returns bigint
language plpgsql stable parallel safe as $$
declare
    found_id bigint;
    naming_type text;
    naming_number text;
    names_unit boolean;
begin
    if number_type is null then
        return (
            select coalesce(company.merged_into_id, company.company_id)
            from registry.company
            where company.company_id = case when number ~ '^[1-9][0-9]{0,17}$' then number::bigint end
        );
    end if;
    select
        coalesce(type.company_type, number_type),
        coalesce(left(number, type.company_length), number),
        type.stored_in = 'unit'
    into naming_type, naming_number, names_unit
    from registry.identifier_type as type
    where type.identifier_type = number_type;

    select named.company_id
    into found_id
    from registry.entries_with(naming_type, naming_number) as named
    order by named.status = 'DELETED', named.company_id
    limit 1;
    if found_id is null then
        select coalesce(company.merged_into_id, company.company_id)
        into found_id
        from registry.past_number
        join registry.company using (company_id)
        where
            past_number.identifier_type = naming_type
            and past_number.identifier_value = naming_number
        order by past_number.last_date desc, company.company_id
        limit 1;
    elsif names_unit and not exists (
        select
        from registry.entries_with(naming_type, naming_number) as named
        where
            number = any(named.closed_units)
            or named.units @> jsonb_build_array(jsonb_build_object('identifier', number))
            or named.withdrawn_until = 'infinity'
    ) then
        return null;
    end if;
    return found_id;
end;
$$;
