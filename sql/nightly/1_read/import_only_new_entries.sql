-- Deletes the records of known entries from an import on demand: the next dump reports changes of known entries.
delete from stage.entry
using stage.pair
where (entry.file_no, entry.line) = (pair.file_no, pair.line);

truncate stage.absent, stage.pair;
