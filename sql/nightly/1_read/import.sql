-- Of what was asked for on demand, only what is not known yet is taken: what has changed about the
-- others is found by the next dump.
delete from stage.entry
using stage.night
cross join registry.entry as known
where
    known.source = night.source
    and known.entry_key = entry.entry_key;
