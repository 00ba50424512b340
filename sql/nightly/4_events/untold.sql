-- Deletes the events of what a registry does not tell, or did not tell until now: its owner withholds it, or
-- nothing was known of it.
delete from stage.event
using stage.before, stage.after, registry.event_type
where
    num_nonnulls(before.untold, after.untold) > 0
    and after.entry_id = before.entry_id
    and event.entry_id = before.entry_id
    and event_type.event_type = event.event_type
    and (event_type.subject = any(before.untold) or event_type.subject = any(after.untold));
