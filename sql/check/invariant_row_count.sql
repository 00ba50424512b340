-- Refuses a snapshot in which one line of a file is both accepted as an entry and rejected.
select format('%s: a line is staged and rejected', file.file) as refusal
from stage.reject
join stage.file using (file_no)
join stage.entry using (file_no, line)
where entry.reason is null;
