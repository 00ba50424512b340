-- Refuses a snapshot in which one line is both an accepted entry and a reject; each line must be only one of the two.
select format('%s: a line is staged and rejected', file.file) as refusal
from stage.reject
join stage.file using (file_no)
join stage.entry using (file_no, line)
where entry.reason is null;
