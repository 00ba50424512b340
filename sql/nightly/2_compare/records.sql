-- Compares yesterday with today: lists the new entries and the known entries that may have changed.

-- Lists the new entries: the accepted records that are paired with no known entry.
create view stage.new_record as
select entry.*
from stage.entry
where
    entry.reason is null
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    );

-- Creates two views of stage.entry that add ids, so that the views have the columns of registry.entry. The view
-- changed_entry has one row per known entry that may have changed. The view new_entry has one row per record without a
-- pair. A new entry that is linked to no company becomes a new company with the id of the entry. In a first snapshot
-- all records are new, so no table is joined: a join copies all columns, which costs as much as reading them.
do $do$
declare
    column_list constant text := (
        select string_agg(
            format('%s as %I', coalesce(own.expression, format('entry.%I', attname)), attname),
            ', ' order by attnum
        )
        from pg_attribute
        left join (
            values
            ('said_run_id', '(select night.run_id from stage.night)::integer'),
            ('said_file_no', 'entry.file_no'),
            -- A withdrawn (hidden) entry stores no line number, since the dump names the person on this line.
            ('said_line', 'case when entry.withdrawn_until is null then entry.line::integer end')
        ) as own (column_name, expression) on own.column_name = attname
        where
            attrelid = 'registry.entry'::regclass
            and attnum > 0
            and attname not in ('company_id', 'entry_id')
    );
begin
    execute format(
        'create view stage.changed_entry as
        select pair.company_id, pair.entry_id, %s
        from stage.entry
        join stage.pair using (file_no, line)
        where entry.reason is null and pair.is_changed',
        column_list
    );
    execute format(
        'create view stage.new_entry as
        select coalesce(component.label, new_id.entry_id) as company_id, new_id.entry_id, %s
        from stage.entry
        %s
        left join stage.component on component.node = new_id.entry_id
        where entry.reason is null',
        column_list,
        case
            when (select night.is_baseline from stage.night)
                then 'cross join lateral (
                    select
                        (select night.first_ids from stage.night)[entry.file_no + 1] + entry.line
                            as entry_id
                ) as new_id'
            else 'join stage.new_id using (file_no, line)'
        end
    );
end;
$do$;
