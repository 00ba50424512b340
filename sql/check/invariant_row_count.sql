-- Every record read is an entry of the snapshot or a reject: nothing is dropped on the way.
select format('%s: a line is staged and rejected', file.file) as refusal
from stage.reject
join stage.file using (file_no)
join stage.entry using (file_no, line)
where entry.reason is null;
