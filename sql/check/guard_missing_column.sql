-- Refuses a file without a column that the mapping of its source reads. If an operator accepts the dump nevertheless,
-- the fields of the missing column keep their values. guard_vanished_changed_lost.sql (`field_lost`) counts values that
-- are missing although their column is present.
select
    format(
        '%s, line 1: the header lacks %s; with a reason, what %s stays as it was',
        file.file,
        string_agg(format('''%s''', missing_column.header), ', ' order by missing_column.place),
        case count(*) when 1 then 'it tells' else 'they tell' end
    ) as refusal,
    file.file,
    count(*) as value,
    0 as limit_value
from stage.missing_column
join stage.file using (file_no)
where not missing_column.is_optional
group by file.file_no, file.file
order by file.file_no;
