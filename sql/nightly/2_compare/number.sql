-- Numbers new entries after the id that reserve.sql has left, in the order of the dump: the ids do not depend
-- on how many records are skipped.
insert into stage.new_id (file_no, line, entry_id)
select
    entry.file_no,
    entry.line,
    night.entry_id_before + row_number() over (order by entry.file_no, entry.line)
from stage.entry
cross join stage.night
where
    not night.is_baseline
    and entry.reason is null
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    );

analyze stage.new_id;

-- In a first snapshot, to sort millions of entries would cost seconds.
update stage.file
set first_id = night.entry_id_before + counted.lines_before
from (
    select
        file.file_no,
        sum(file.line_count) over (order by file.file_no) - file.line_count as lines_before
    from stage.file
) as counted
cross join stage.night
where night.is_baseline and file.file_no = counted.file_no;

analyze stage.file;
