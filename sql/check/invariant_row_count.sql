-- Refuses a snapshot in which one line is staged and rejected: every record read is either an entry or a reject.
select format('%s: a line is staged and rejected', file.file) as refusal
from stage.reject
join stage.file using (file_no)
join stage.entry using (file_no, line)
where entry.reason is null;
