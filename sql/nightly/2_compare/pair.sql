-- Compares yesterday with today: which record belongs to which known entry.

insert into stage.pair (
    file_no, line, entry_key, content_hash, entry_id, company_id, old_entry_key, old_content_hash,
    was_gone, is_gone
)
select
    entry.file_no,
    entry.line,
    entry.entry_key,
    entry.content_hash,
    known_key.entry_id,
    known_key.company_id,
    entry.entry_key as old_entry_key,
    known_key.content_hash as old_content_hash,
    known_key.is_gone as was_gone,
    entry.gone_date is not null as is_gone
from stage.entry
join stage.known_key using (file_no, line)
where entry.reason is null;

analyze stage.pair (file_no, line, entry_key, entry_id, company_id);
