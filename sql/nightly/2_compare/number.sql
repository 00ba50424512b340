-- Numbers new entries after the last id, in the order of the dump: the ids do not depend on how many
-- records are skipped.
insert into stage.new_id (file_no, line, entry_id)
select
    entry.file_no,
    entry.line,
    last_id.last_id + row_number() over (order by entry.file_no, entry.line)
from stage.entry
join registry.last_id on last_id.table_name = 'entry'
where
    not (select night.is_baseline from stage.night)
    and entry.reason is null
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    );

analyze stage.new_id;

-- In a first snapshot all entries are new, and the line is the number: to sort millions of them would cost
-- seconds. A line that is no entry uses up an id then.
update stage.file
set first_id = last_id.last_id + counted.lines_before
from (
    select
        file.file_no,
        sum(file.line_count) over (order by file.file_no) - file.line_count as lines_before
    from stage.file
) as counted
join registry.last_id on last_id.table_name = 'entry'
where
    (select night.is_baseline from stage.night)
    and file.file_no = counted.file_no;

analyze stage.file;
