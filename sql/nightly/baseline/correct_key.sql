-- Keys of records that turned out to repeat or contradict each other go, and those of entries that share a
-- number come to one company: as new rows, since an index that is made over an updated one is of no
-- use to transactions that have begun before.
with corrected as (
    delete from stage.first_entry_key
    using stage.correction
    where first_entry_key.entry_id = correction.entry_id
    returning first_entry_key.*, correction.company_id as corrected_id
)

insert into stage.first_entry_key (
    source, entry_key, entry_id, company_id, file_key, fingerprint, content_hash, is_gone
)
select
    corrected.source, corrected.entry_key, corrected.entry_id, corrected.corrected_id,
    corrected.file_key, corrected.fingerprint, corrected.content_hash, corrected.is_gone
from corrected
where corrected.corrected_id is not null;
