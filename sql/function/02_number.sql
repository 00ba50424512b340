-- The numbers by which companies are known, of the types that countries have. Functions that are called for
-- each record or company are written by the dictionary, so that each is one expression that the planner
-- inlines.

select registry.start_loading('registry.identifier_type');
\copy loaded (identifier_type, rank, pattern, form, check_function, stored_in, company_type, company_length, links, reject_code, reject_name, event_subject) from 'country/*/identifier_type.csv'
select registry.load_dictionary('registry.identifier_type');

-- is_number: whether a number may be one of its type. naming_numbers: the numbers of an entry, beyond the
-- three columns, that name its company. primary_identifier, identifier_type: the number that names a company
-- where one is shown, and its type; null without a number. shown_numbers: all numbers as answers show them.
do $do$
declare
    is_number text;
    naming text;
    shown record;
begin
    select
        string_agg(
            format(
                case
                    when check_function is null then 'when %1$L then value ~ %2$L'
                    else 'when %1$L then registry.%3$I(value)'
                end,
                identifier_type, pattern, check_function
            ),
            ' '
        ),
        string_agg(
            format(
                'when %L then coalesce(numbers, ''{}'') || jsonb_build_object(%L, entry_key)',
                country_code, identifier_type
            ),
            ' '
        ) filter (where stored_in = 'key')
    into is_number, naming
    from registry.identifier_type;

    with place as (
        select
            type.*,
            case
                when type.stored_in in ('key', 'numbers')
                    then format('company.numbers ->> %L', type.identifier_type)
                else format('company.%I', type.stored_in)
            end as of_company,
            case type.stored_in
                when 'key' then 'entry.entry_key'
                when 'unit' then 'entry.units #>> ''{0,identifier}'''
                when 'numbers' then format('entry.numbers ->> %L', type.identifier_type)
                else format('entry.%I', type.stored_in)
            end as of_entry,
            'case when %1$s is not null then jsonb_build_object(
                ''type'', %2$L, ''value'', %1$s, ''rank'', %3$s
            ) end' as item
        from registry.identifier_type as type
    ),

    branch as (
        select
            country_code,
            string_agg(of_company, ', ' order by rank) filter (where names_company) as number,
            string_agg(format('when %s is not null then %L', of_company, identifier_type), ' ' order by rank)
                filter (where names_company) as type,
            string_agg(format(item, of_company, identifier_type, rank), ', ' order by rank)
                filter (where names_company) as of_company,
            string_agg(format(item, of_entry, identifier_type, rank), ', ' order by rank) as of_entry
        from place
        cross join lateral (select company_type is null as names_company) as own
        group by country_code
    )

    select
        string_agg(format('when %L then coalesce(%s)', country_code, number), ' ') as number,
        string_agg(format('when %L then case %s end', country_code, type), ' ') as type,
        string_agg(format('when %L then array[%s]', country_code, of_company), ' ') as of_company,
        string_agg(format('when %L then array[%s]', country_code, of_entry), ' ') as of_entry
    into shown
    from branch;

    -- Those with jsonb_build_object are not immutable, as it is not: the planner would not inline them.
    execute format(
        $sql$
        create or replace function registry.is_number(identifier_type text, value text) returns boolean
        language sql immutable parallel safe
        return case identifier_type %s end;

        create or replace function registry.naming_numbers(
            country_code text,
            entry_key text,
            numbers jsonb
        ) returns jsonb
        language sql stable parallel safe
        return case country_code %s else numbers end;

        create or replace function registry.primary_identifier(company registry.company) returns text
        language sql immutable parallel safe
        return case company.country_code %s end;

        create or replace function registry.identifier_type(company registry.company) returns text
        language sql immutable parallel safe
        return case company.country_code %s end;

        create or replace function registry.shown_numbers(company registry.company) returns jsonb
        language sql stable parallel safe
        return to_jsonb(array_remove(case company.country_code %s end, null));

        create or replace function registry.shown_numbers(entry registry.entry) returns jsonb
        language sql stable parallel safe
        return to_jsonb(array_remove(case entry.country_code %s end, null));
        $sql$,
        is_number, coalesce(naming, 'when null then null'), shown.number, shown.type,
        shown.of_company, shown.of_entry
    );
end;
$do$;

-- The numbers of an entry: one row a type. `event_subject`: of the events that tell of it.
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
    select number.*
    from registry.list_numbers(
        entry.country_code, entry.nip, entry.regon9, entry.krs, entry.numbers, entry.entry_key,
        entry.units
    ) as number
$$;

-- The numbers in which two states of an entry differ.
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

-- The entries that have a number now.
create or replace function registry.entries_with(number_type text, number text)
returns table (company_id bigint, entry_id bigint, status text)
language plpgsql stable parallel safe as $$
declare
    kind registry.identifier_type;
begin
    select * into kind
    from registry.identifier_type
    where identifier_type.identifier_type = number_type;
    case kind.stored_in
        when 'nip' then
            return query
            select entry.company_id, entry.entry_id, entry.status
            from registry.entry
            where entry.nip = number and entry.country_code = kind.country_code;
        when 'regon9' then
            return query
            select entry.company_id, entry.entry_id, entry.status
            from registry.entry
            where entry.regon9 = number and entry.country_code = kind.country_code;
        when 'krs' then
            return query
            select entry.company_id, entry.entry_id, entry.status
            from registry.entry
            where entry.krs = number and entry.country_code = kind.country_code;
        when 'key' then
            return query
            select entry.company_id, entry.entry_id, entry.status
            from registry.entry
            where entry.entry_key = number and entry.country_code = kind.country_code;
        else
            return query
            select entry.company_id, entry.entry_id, entry.status
            from registry.entry
            where
                entry.numbers @> jsonb_build_object(number_type, number)
                and entry.numbers is not null
                and entry.country_code = kind.country_code;
    end case;
end;
$$;

-- The company that a number names: the one that has it now, of several one whose entry is not deleted,
-- then the oldest. Where none has it: the last one that had it. Null for a number that was never known, such as
-- that of a unit which the company never had. Of a withdrawn entry no units are known.
create or replace function registry.find_company(number_type text, number text) returns bigint
language plpgsql stable parallel safe as $$
declare
    found_id bigint;
    naming_type text;
    naming_number text;
    names_unit boolean;
begin
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
        join registry.entry using (company_id, entry_id)
        where
            number = any(entry.closed_units)
            or entry.units @> jsonb_build_array(jsonb_build_object('identifier', number))
            or entry.withdrawn_until = 'infinity'
    ) then
        return null;
    end if;
    return found_id;
end;
$$;
