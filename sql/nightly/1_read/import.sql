-- An import on demand takes only entries that are not known yet. The next dump finds what has changed
-- about the known ones.
delete from stage.entry
using stage.night
cross join registry.entry as known
where
    known.source = night.source
    and known.entry_key = entry.entry_key;
