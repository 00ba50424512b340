-- Numbers new entries after the last id, in the order of the dump. The ids do not depend on how many
-- records are skipped. The ids have gaps, since a line that is no new entry uses up an id too.
update stage.file
set first_id = last_id.last_id + counted.lines_before
from (
    select
        file.file_no,
        sum(file.line_count) over (order by file.file_no) - file.line_count as lines_before
    from stage.file
) as counted
join registry.last_id on last_id.table_name = 'entry'
where file.file_no = counted.file_no;

analyze stage.file;
