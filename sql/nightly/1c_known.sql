-- Of what was asked for on demand, only what is not known yet is taken: what has changed about the
-- others is told by the next dump.
delete from stage.entry
using stage.night
cross join registry.entry_key
where
    entry_key.source = night.source
    and entry_key.entry_key = entry.entry_key;
