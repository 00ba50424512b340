-- Compares yesterday with today: which record belongs to which known entry.

insert into stage.pair (file_no, line, company_id, entry_id, has_new_key, is_changed)
select
    entry.file_no,
    entry.line,
    known_key.company_id,
    known_key.entry_id,
    false as has_new_key,
    entry.content_hash <> known_key.content_hash
    or (entry.gone_date is not null) <> known_key.is_gone as is_changed
from stage.entry
join stage.known_key using (file_no, line)
where entry.reason is null;

analyze stage.pair (file_no, line, entry_id, company_id);
