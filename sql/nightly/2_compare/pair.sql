-- Compares yesterday with today: which record belongs to which known entry.

-- One row per accepted record of a known entry. Records without a pair are new entries. is_changed: the
-- key or the content is another one, other fields are told, or the entry is back or struck off.
create unlogged table stage.pair as
select
    entry.file_no,
    entry.line,
    known_key.company_id,
    known_key.entry_id,
    false as has_new_key,
    entry.content_hash <> known_key.content_hash
    or known_key.is_told_otherwise
    or (entry.gone_date is not null) <> known_key.is_gone as is_changed
from stage.entry
join stage.known_key using (file_no, line)
where entry.reason is null;

analyze stage.pair (file_no, line, entry_id, company_id);

-- One row per accepted record, as registry.entry will hold it: the columns of stage.entry, with ids. A
-- new entry that is not linked to another company founds a company with its own id. In a first snapshot no
-- record has a pair: a join copies all columns, which costs as much as to read them.
do $do$
declare
    new_id text := 'new_id.entry_id';
    company_id text := 'coalesce(pair.company_id, component.label, new_id.entry_id)';
    entry_id text := 'coalesce(pair.entry_id, new_id.entry_id)';
    joins text := 'left join stage.pair using (file_no, line) left join stage.new_id using (file_no, line)';
begin
    if (select night.is_baseline from stage.night) then
        new_id := '((select night.first_ids from stage.night)[entry.file_no + 1] + entry.line)';
        company_id := format('coalesce(component.label, %s)', new_id);
        entry_id := new_id;
        joins := '';
    end if;
    execute format(
        $sql$
        create view stage.entry_row as
        select %s
        from stage.entry
        %s
        left join stage.component on component.node = %s
        where entry.reason is null
        $sql$,
        (
            select string_agg(
                format('%s as %I', coalesce(own.expression, format('entry.%I', attname)), attname),
                ', ' order by attnum
            )
            from pg_attribute
            left join (
                values
                ('company_id', company_id),
                ('entry_id', entry_id),
                ('said_run_id', '(select night.run_id from stage.night)::integer'),
                ('said_file_no', 'entry.file_no'),
                -- A line would lead to a person who is withdrawn.
                (
                    'said_line',
                    'case when entry.withdrawn_until is null then entry.line::integer end'
                )
            ) as own (column_name, expression) on own.column_name = attname
            where attrelid = 'registry.entry'::regclass and attnum > 0 and not attisdropped
        ),
        joins,
        new_id
    );
end;
$do$;

-- One row per new entry. The ids of known entries are looked up in a hash table, which is empty in a
-- first snapshot; a join would cost more.
create view stage.new_entry as
select entry_row.*
from stage.entry_row
where entry_row.entry_id not in (select pair.entry_id from stage.pair);
