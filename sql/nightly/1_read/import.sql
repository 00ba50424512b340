-- Deletes the known entries from an import on demand, which takes unknown entries alone. The next dump finds
-- the changes of known entries.
delete from stage.entry
using stage.night
cross join registry.entry as known
where
    known.source = night.source
    and known.entry_key = entry.entry_key;

truncate stage.absent;
