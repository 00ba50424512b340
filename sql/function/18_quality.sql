-- What is published of the quality of a night.

-- The kind of reason of a rejected row. A reason may quote the row, and so name a person: only its kind is
-- published.
create or replace function registry.reject_kind(reason text) returns text
language sql immutable parallel safe
return case
    when reason ~ '^the NIP ''' then 'invalid_nip'
    when reason ~ '^the REGON ''' then 'invalid_regon'
    when reason ~ '^the KRS number ''' then 'invalid_krs'
    when reason = 'all names are blank' or reason ~ '^no name of the company' then 'no_name'
    when reason ~ '^the status ''' then 'unknown_status'
    when reason ~ '^the .* is not a date$|^the state of .* is in the future$' then 'invalid_date'
    when reason ~ '^(the activity version|one of the activities) ''' then 'unknown_activity'
    when reason ~ '^repeats ' then 'repetition'
    when reason ~ '(^| )contradicts? ' then 'contradiction'
    when reason ~ '^(without the report|the dump holds no main report|whose it is) ?' then 'missing_report'
    when reason ~ '^(not UTF|a NUL|quotes|a quote|a closing quote|longer than|[0-9]+ fields instead|names of more)'
        then 'damaged_row'
    else 'unreadable_answer'
end;

-- How many rows of a query of entries have each field: the one list of the fields whose share is published.
-- One aggregate over all of them costs a tenth of one a field.
create or replace function registry.count_filled(query text)
returns table (field text, filled_count bigint)
language plpgsql as $$
begin
    return query execute format(
        'select counted.key, counted.value::bigint
        from (select %s from (%s) as entry) as one
        cross join jsonb_each_text(to_jsonb(one)) as counted',
        (
            select string_agg(format('count(entry.%1$I) as %1$I', listed.name), ', ')
            from unnest(
                '{nip, regon9, krs, name, surname, first_name, legal_form, start_date, phone, email,
                fax, website, e_delivery, postal_code, county, commune, city, street, building,
                voivodeship, activity_main, units, persons}'::text[]
            ) as listed (name)
        ),
        query
    );
end;
$$;

-- Changes the present counts of a source by the entries of a query, which come (1) or go (-1).
create or replace function registry.change_fill(
    changed_source text,
    query text,
    sign integer
) returns void
language sql as $$
    insert into registry.fill as known (source, stat_date, field, filled_count)
    select changed_source, 'infinity', counted.field, counted.filled_count * sign
    from registry.count_filled(query) as counted
    on conflict on constraint fill_pkey do update
    set filled_count = known.filled_count + excluded.filled_count;
$$;

-- What a guard found, without its sentence, which may quote a row.
create or replace function registry.shown_guards(refusals jsonb) returns jsonb
language sql immutable parallel safe
return (
    select coalesce(
        jsonb_agg(
            jsonb_build_object(
                'guard', finding.value -> 'guard',
                'file', regexp_replace(finding.value ->> 'file', '[0-9]{9,}', '…', 'g'),
                'field', finding.value -> 'field',
                'value', finding.value -> 'value',
                'limit', finding.value -> 'limit'
            )
            order by finding.place
        ),
        '[]'
    )
    from jsonb_array_elements(refusals) with ordinality as finding (value, place)
    where finding.place <= 100
);

-- The words of an operator, who is told that they are published: without numbers and addresses of mail.
create or replace function registry.shown_reason(reason text) returns text
language sql immutable parallel safe
return left(regexp_replace(reason, '([0-9][ -]?){8,}[0-9]|[^ ]+@[^ ]+', '…', 'g'), 500);

-- A share in per cent with two digits; null where there is nothing to have a share of.
create or replace function registry.share(part bigint, whole bigint) returns numeric
language sql immutable parallel safe
return round(100.0 * part / nullif(whole, 0), 2);

-- A database of a version that did not count has its entries counted once.
do $$
declare
    uncounted text;
begin
    for uncounted in
        select distinct run.source
        from registry.run
        where
            run.state in ('published', 'imported')
            and run.source not in (select fill.source from registry.fill)
    loop
        perform registry.change_fill(
            uncounted,
            format('select * from registry.entry where source = %L and gone_date is null', uncounted),
            1
        );
    end loop;
end;
$$;
