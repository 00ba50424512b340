-- Deletes the events of subjects that a registry does not state, or did not state until now: the owner
-- withholds the subjects, or their values were unknown.
delete from stage.event
using stage.before, stage.after, registry.event_type
where
    num_nonnulls(before.unstated, after.unstated) > 0
    and after.entry_id = before.entry_id
    and event.entry_id = before.entry_id
    and event_type.event_type = event.event_type
    and (event_type.subject = any(before.unstated) or event_type.subject = any(after.unstated));

-- Deletes the old address from the event of a moved head office, if the owner withholds the old establishment
-- from now on.
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

-- Marks the withheld closed units with an earlier event that has more than the number of the unit. Each dump
-- lists all withheld closed units again; no table keeps them.
analyze stage.withheld_unit;

update stage.withheld_unit
set is_stated = true
where exists (
    select
    from registry.entry
    join registry.event using (company_id, entry_id)
    where
        entry.source = (select night.source from stage.night)
        and entry.entry_key = withheld_unit.entry_key
        and starts_with(coalesce(event.new_value, event.old_value), withheld_unit.unit_number)
        and coalesce(event.new_value, event.old_value) <> withheld_unit.unit_number
);
