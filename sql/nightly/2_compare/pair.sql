-- Compares yesterday with today: pairs the records with the known entries.

-- One row per accepted record of a known entry. Records without a pair are new entries. is_changed: the
-- key, the content or the set of stated fields differs, or the entry is back or struck off.
create unlogged table stage.pair as
select
    entry.file_no,
    entry.line,
    known_key.company_id,
    known_key.entry_id,
    false as has_new_key,
    entry.content_hash <> known_key.content_hash
    or known_key.is_stated_otherwise
    or (entry.gone_date is not null) <> known_key.is_gone as is_changed
from stage.entry
join stage.known_key using (file_no, line)
where entry.reason is null;

analyze stage.pair (file_no, line, entry_id, company_id, is_changed);

-- Lists the accepted records without a pair: the new entries.
create view stage.new_record as
select entry.*
from stage.entry
where
    entry.reason is null
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    );

-- Creates two views of the records as rows of registry.entry: the columns of stage.entry, with ids.
-- changed_entry: one row per known entry that may have changed. new_entry: one row per record without a pair. A
-- new entry without a link to a company founds a company with its own id. In a first snapshot all records are
-- new, so no table is joined: a join copies all columns, which costs as much as to read them.
do $do$
declare
    is_baseline constant boolean := (select night.is_baseline from stage.night);
    new_id constant text := case
        when is_baseline then '((select night.first_ids from stage.night)[entry.file_no + 1] + entry.line)'
        else 'new_id.entry_id'
    end;
    made record;
begin
    for made in
        select *
        from (
            values
            (
                'changed_entry', 'pair.company_id', 'pair.entry_id',
                'join stage.pair using (file_no, line)', 'pair.is_changed'
            ),
            (
                'new_entry', format('coalesce(component.label, %s)', new_id), new_id,
                case when not is_baseline then 'join stage.new_id using (file_no, line) ' else '' end
                || format('left join stage.component on component.node = %s', new_id),
                'true'
            )
        ) as view (name, company_id, entry_id, joins, condition)
    loop
        execute format(
            'create view stage.%I as select %s from stage.entry %s where entry.reason is null and %s',
            made.name,
            (
                select string_agg(
                    format('%s as %I', coalesce(own.expression, format('entry.%I', attname)), attname),
                    ', ' order by attnum
                )
                from pg_attribute
                left join (
                    values
                    ('company_id', made.company_id),
                    ('entry_id', made.entry_id),
                    ('said_run_id', '(select night.run_id from stage.night)::integer'),
                    ('said_file_no', 'entry.file_no'),
                    -- A withdrawn entry has no line, because a line would lead to the person.
                    (
                        'said_line',
                        'case when entry.withdrawn_until is null then entry.line::integer end'
                    )
                ) as own (column_name, expression) on own.column_name = attname
                where attrelid = 'registry.entry'::regclass and attnum > 0 and not attisdropped
            ),
            made.joins,
            made.condition
        );
    end loop;
end;
$do$;
