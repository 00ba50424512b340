-- What is published of the quality of a night.

-- Returns the count of rejected rows of a run by their code, as answers show it: a reason may quote a row,
-- and so name a person.
create or replace function registry.rejects_of(wanted_id bigint) returns jsonb
language sql stable parallel safe
return (
    select coalesce(
        jsonb_agg(
            jsonb_build_object('subject', reject_count.reject_code, 'count', reject_count.row_count)
            order by reject_count.row_count desc, reject_count.reject_code
        ),
        '[]'
    )
    from registry.reject_count
    where reject_count.run_id = wanted_id
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
