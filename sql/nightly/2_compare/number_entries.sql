-- Numbers the new entries in the order of the dump, starting after `entry_id_before` (reserve_entry_ids.sql). The ids
-- do not depend on how many records the night skipped as unchanged.
insert into stage.new_id (file_no, line, entry_id)
select
    new_record.file_no,
    new_record.line,
    night.entry_id_before + row_number() over (order by new_record.file_no, new_record.line)
from stage.new_record
cross join stage.night
where not night.is_baseline;

analyze stage.new_id;

-- A first snapshot stores the first id of each file instead of entry ids: sorting millions of entries costs seconds.
update stage.night
set first_ids = array(
    select
        night.entry_id_before
        + sum(file.line_count) over (order by file.file_no) - file.line_count
    from stage.file
    order by file.file_no
)
where night.is_baseline;
