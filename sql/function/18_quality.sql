-- What is published of the quality of a night.

-- The kind of reason of a rejected row. A reason may quote the row, and so name a person: only its kind is
-- published.
create or replace function registry.reject_kind(reason text) returns text
language sql immutable parallel safe
return case
    when reason ~ '^the NIP ''' then 'invalid_nip'
    when reason ~ '^the REGON ''' then 'invalid_regon'
    when reason ~ '^the KRS number ''' then 'invalid_krs'
    when reason ~ '^the [^''a-z][^'']* ''.*'' is not valid$' then 'invalid_number'
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

-- How many entries of a query have each field, by source: the one list of the fields whose share is
-- published. One aggregate over all of them costs a tenth of one a field. Entries have few sources: to sort
-- them by it would cost more than to count.
create or replace function registry.count_filled(query text)
returns table (source text, field text, filled_count bigint)
language plpgsql
set enable_sort = off
as $$
begin
    return query execute format(
        'select counted.source, field.key, field.value::bigint
        from (select entry.source, %s from (%s) as entry group by entry.source) as counted
        cross join jsonb_each_text(to_jsonb(counted) - ''source'') as field',
        (
            select string_agg(
                format(
                    case listed.name
                        when 'persons' then 'count(*) filter (
                            where
                                entry.persons is not null
                                or registry.is_entrepreneur(
                                    entry.entity_type, entry.surname, entry.first_name, entry.name
                                )
                                and entry.country_code in (
                                    select country_code from registry.country_word
                                    where word = ''entrepreneur''
                                )
                        ) as %1$I'
                        else 'count(entry.%1$I) as %1$I'
                    end,
                    listed.name
                ),
                ', '
            )
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

-- Changes the present counts by the entries of a query, which come (1) or go (-1).
create or replace function registry.change_fill(query text, sign integer) returns void
language sql as $$
    insert into registry.fill as known (source, stat_date, field, filled_count)
    select counted.source, 'infinity', counted.field, counted.filled_count * sign
    from registry.count_filled(query) as counted
    on conflict on constraint fill_pkey do update
    set filled_count = known.filled_count + excluded.filled_count;
$$;

-- What a run counted of a kind, as answers show it.
create or replace function registry.counts_of(wanted_id bigint, wanted_kind text) returns jsonb
language sql stable parallel safe
return (
    select coalesce(
        jsonb_agg(
            jsonb_build_object(
                'source', run_count.other_source, 'subject', run_count.subject,
                'count', run_count.row_count, 'of', run_count.whole_count
            )
            order by run_count.other_source, run_count.row_count desc, run_count.subject
        ),
        '[]'
    )
    from registry.run_count
    where run_count.run_id = wanted_id and run_count.kind = wanted_kind
);

-- A long number in the name of a file may be that of a person.
create or replace function registry.shown_file(file text) returns text
language sql immutable parallel safe
return regexp_replace(file, '[0-9]{9,}', '…', 'g');

-- What guards found, without the sentences, which may quote a row.
create or replace function registry.shown_guards(refusals jsonb) returns jsonb
language sql immutable parallel safe
return (
    select coalesce(
        jsonb_agg(
            '{"field": null}' || finding.value - 'sentence'
            || jsonb_build_object('file', registry.shown_file(finding.value ->> 'file'))
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
select registry.change_fill('select * from registry.entry where gone_date is null', 1)
where not exists (select from registry.fill);
