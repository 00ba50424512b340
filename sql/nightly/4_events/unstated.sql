-- Deletes the night's events about subjects (such as 'address') that an entry does not state today, or did not state
-- yesterday. A subject is not stated if the owner withholds it, or if its value is unknown.
delete from stage.event
using stage.before, stage.after, registry.event_type
where
    num_nonnulls(before.unstated, after.unstated) > 0
    and after.entry_id = before.entry_id
    and event.entry_id = before.entry_id
    and event_type.event_type = event.event_type
    and (event_type.subject = any(before.unstated) or event_type.subject = any(after.unstated));

-- Deletes the old address from the event of a moved head office, if the owner now withholds the old establishment.
update stage.event
set old_value = null
from stage.before, stage.after, registry.event_type
where
    event.entry_id = before.entry_id
    and after.entry_id = before.entry_id
    and event_type.event_type = event.event_type
    and event_type.subject = 'address'
    and before.units #>> '{0,identifier}' <> after.units #>> '{0,identifier}'
    and (
        before.units #>> '{0,identifier}' in (select unit_number from stage.withheld_unit)
        or after.units @> jsonb_build_array(
            jsonb_build_object('identifier', before.units #> '{0,identifier}', 'is_partial', true)
        )
    );
