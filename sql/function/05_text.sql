-- Returns a text in lower case, independently of the locale of the database, on which the built-in lower() depends.
create or replace function registry.lower(value text) returns text
language sql immutable parallel safe return pg_catalog.lower(value collate registry.unicode);

create or replace function registry.upper(value text) returns text
language sql immutable parallel safe return pg_catalog.upper(value collate registry.unicode);

-- Returns the date that a text YYYY-MM-DD states, from 1800 to 2199; null for any other text.
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

-- Returns the date that a text states. If `is_checked`, the text is cast as a valid date YYYY-MM-DD, without a check.
create or replace function registry.day_of(written text, is_checked boolean) returns date
language sql stable parallel safe
return case when is_checked then written::date else registry.calendar_day(written) end;

-- Returns `day`, the date of a record; if the record states an impossible date, returns the stored date `known`.
create or replace function registry.day_or_known(day date, written text, known date) returns date
language sql immutable parallel safe return coalesce(day, case when written is not null then known end);

-- Returns the texts joined by a separator; null if there is no text.
create or replace function registry.join_texts(separator text, variadic texts text[]) returns text
language sql stable parallel safe return nullif(array_to_string(texts, separator), '');

-- Returns `written` if it looks like an e-mail address, website or telephone number; else null, as for 'brak'.
create or replace function registry.contact(subject text, written text) returns text
language sql immutable parallel safe
return case subject
    when 'e-mail' then case when written like '%@%' then written end
    when 'website' then case when written like '%_._%' then written end
    else case when written ~ '[0-9]' then written end
end;

-- Returns a number as text with commas between the thousands, such as 5,796.
create or replace function registry.figure(count numeric) returns text
language sql immutable parallel safe return to_char(count, 'FM999,999,999,999,990');

-- Returns `part` as a percentage of `whole`, with two decimals; null if `whole` is 0.
create or replace function registry.percent(part numeric, whole numeric) returns numeric
language sql immutable parallel safe return round(100 * part / nullif(whole, 0), 2);

-- Sets `search_path` to the schema of the extension unaccent, which may be installed in any schema.
select set_config('search_path', extnamespace::regnamespace::text, true)
from pg_extension
where extname = 'unaccent';

-- Returns a text in lower case and without accents.
create or replace function registry.fold(value text) returns text
language sql stable parallel safe return registry.lower(unaccent('unaccent', value));

set local search_path to default;

-- Returns a text in lower case, without accents, quotation marks, and blanks around signs. Quotation marks are removed
-- first, since unaccent turns some of them into commas.
create or replace function registry.text_meaning(value text) returns text
language sql stable parallel safe
return regexp_replace(
    registry.fold(translate(value, '"''„”“‟‚‘’`´«»', '')), ' *([.,&-]) *|( ) +', '\1\2', 'g'
);

-- Returns the reason for rejecting a row: a code of `reject_code.csv`, and a sentence that the template `form` yields.
create or replace function registry.rejection(code text, form text, variadic parts text[] default '{}')
returns registry.coded_reason
language sql immutable parallel safe return row(code, format(form, variadic parts))::registry.coded_reason;
