-- Text and dates as registries write them. Nearly all functions are single expressions, which Postgres
-- expands in place.

-- The same in every database, as lower(), upper() and ~* are not.
create or replace function registry.lower(value text) returns text
language sql immutable parallel safe
return pg_catalog.lower(value collate registry.unicode);

create or replace function registry.upper(value text) returns text
language sql immutable parallel safe
return pg_catalog.upper(value collate registry.unicode);

-- The day that is written as YYYY-MM-DD, from 1800 to 2199; null for anything else.
create or replace function registry.calendar_day(written text) returns date
language sql immutable parallel safe
return case
    when written ~ '^(1[89]|2[01])[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' then case
        when
            right(written, 2) <= '28'
            or right(written, 2)::integer <= extract(
                day from make_date(left(written, 4)::integer, substr(written, 6, 2)::integer, 1)
                + interval '1 month - 1 day'
            )
            then make_date(
                left(written, 4)::integer,
                substr(written, 6, 2)::integer,
                right(written, 2)::integer
            )
    end
end;

-- The day of a text; one that is known to be written as YYYY-MM-DD is not checked again.
create or replace function registry.day_of(written text, is_checked boolean) returns date
language sql stable parallel safe
return case when is_checked then written::date else registry.calendar_day(written) end;

-- What a contact is, by the subject of its event; null for a text that is none, such as 'brak'.
create or replace function registry.contact(subject text, written text) returns text
language sql immutable parallel safe
return case subject
    when 'e-mail' then case when written like '%@%' then written end
    when 'website' then case when written like '%_._%' then written end
    else case when written ~ '[0-9]' then written end
end;

-- A count as sentences for people have it: 5,796.
create or replace function registry.figure(count numeric) returns text
language sql immutable parallel safe
return to_char(count, 'FM999,999,999,999,990');

-- The extension lies in whichever schema it was created in.
select set_config(
    'search_path',
    (
        select quote_ident(pg_namespace.nspname)
        from pg_extension
        join pg_namespace on pg_namespace.oid = pg_extension.extnamespace
        where pg_extension.extname = 'unaccent'
    ),
    true
);

-- Text without case and accents.
create or replace function registry.fold(value text) returns text
language sql stable parallel safe
return registry.lower(unaccent('unaccent', value));

set local search_path to default;

-- A text without case, accents, quotation marks, and blanks around signs. unaccent would make commas of
-- some quotation marks.
create or replace function registry.text_meaning(value text) returns text
language sql stable parallel safe
return regexp_replace(
    registry.fold(translate(value, '"''„”“‟‚‘’`´«»', '')), ' *([.,&-]) *|( ) +', '\1\2', 'g'
);

-- Returns why a record is rejected: a code of `reject_code.csv`, and a sentence, by the form of `format`.
create or replace function registry.rejection(code text, form text, variadic parts text[] default '{}')
returns registry.coded_reason
language sql immutable parallel safe
return row(code, format(form, variadic parts))::registry.coded_reason;
