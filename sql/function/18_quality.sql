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
    when reason ~ '^the state of .* is in the future$' then 'invalid_date'
    when reason ~ '^(the activity version|one of the activities) ''' then 'unknown_activity'
    when reason ~ '^repeats ' then 'repetition'
    when reason ~ '(^| )contradicts? ' then 'contradiction'
    when reason ~ '^(without the report|the dump holds no main report|whose it is) ?' then 'missing_report'
    when reason ~ '^(not UTF|a NUL|quotes|a quote|no number to know|a closing quote|longer than|[0-9]+ fields instead|names of more)'
        then 'damaged_row'
    else 'unreadable_answer'
end;

-- The rejected rows of a run by the kind of their reason, as answers show them.
create or replace function registry.rejects_of(wanted_id bigint) returns jsonb
language sql stable parallel safe
return (
    select coalesce(
        jsonb_agg(
            jsonb_build_object('subject', reject_count.reject_kind, 'count', reject_count.row_count)
            order by reject_count.row_count desc, reject_count.reject_kind
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
