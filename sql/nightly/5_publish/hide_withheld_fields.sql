-- Hides the fields that owners withhold from now on: in gone entries, in earlier events and in copies, such as mails.
-- In tonight's records, map.sql of the source and functions.sql of the country have emptied these fields already.
-- The fields that an objection hides are listed in `person.hidden` (function/21_hidden_entry.sql).

-- Hides the gone entries, which no later dump can hide, of a company whose owner now withholds another entry.
select person.hide(
    array(
        select gone
        from registry.entry as gone
        where
            gone.source = night.source
            and gone.gone_date is not null
            and gone.is_partial is not true
            and gone.company_id in (
                select after.company_id
                from stage.before
                join stage.after using (entry_id)
                where after.is_partial and before.is_partial is not true
                union
                select kept.company_id
                from stage.vanished
                join registry.entry as kept using (company_id)
                where
                    not vanished.waits
                    and kept.source = night.source
                    and kept.is_partial
                    and kept.gone_date is null
            )
    ),
    'objection'
)
from stage.night;

analyze stage.withheld_unit;

-- Holds one row per entry or unit that is withheld from tonight on. `place` is the address at which the unit was
-- listed; null if the entry still has this address. The `place` of a head office is the address of its entry.
create unlogged table stage.withheld as
select after.company_id, after.entry_id, withheld.*
from stage.before
join stage.after using (entry_id)
cross join lateral (
    select null as unit_number, null as place
    where
        after.is_partial and before.is_partial is not true
        -- The list `unstated` may also contain an unknown start date, which its owner does not withhold.
        or not coalesce(
            array_remove(after.unstated, 'start date') <@ coalesce(before.unstated, '{}'), true
        )
    union all
    select
        unit.number,
        nullif(
            (
                select coalesce(
                    registry.unit_line(known.value - 'identifier' - 'name'),
                    case when known.place = 1 then registry.entry_address(row(before.*)::registry.entry) end
                )
                from jsonb_array_elements(before.units) with ordinality as known (value, place)
                where known.value ->> 'identifier' = unit.number
                limit 1
            ),
            registry.entry_address(row(after.*)::registry.entry)
        )
    from (
        select listed.value ->> 'identifier' as number
        from jsonb_array_elements(after.units) as listed
        where listed.value ? 'is_partial'
        union all
        -- Adds the withheld units that are closed tonight.
        select closed.value ->> 'identifier'
        from jsonb_array_elements(before.units) as closed
        -- The test `is true` keeps the closed units in a hash table: a join would scan all closed units for each entry.
        where (closed.value ->> 'identifier' in (select unit_number from stage.withheld_unit)) is true
    ) as unit
    where
        not coalesce(
            before.units @> jsonb_build_array(
                jsonb_build_object('identifier', unit.number, 'is_partial', true)
            ),
            false
        )
) as withheld
union all
-- Adds withheld closed units if earlier events show more of a unit than its number.
select entry.company_id, entry.entry_id, withheld_unit.unit_number, null
from stage.withheld_unit
cross join stage.night
join registry.entry
    on entry.source = night.source
    and entry.entry_key = withheld_unit.entry_key
where exists (
    select from registry.event
    where
        (event.company_id, event.entry_id) = (entry.company_id, entry.entry_id)
        and starts_with(coalesce(event.new_value, event.old_value), withheld_unit.unit_number)
        and coalesce(event.new_value, event.old_value) <> withheld_unit.unit_number
);

analyze stage.withheld;

update registry.event
set old_value = null, new_value = null
from stage.withheld, registry.event_type
where
    (event.company_id, event.entry_id) = (withheld.company_id, withheld.entry_id)
    and event_type.event_type = event.event_type
    and event_type.subject = 'unit'
    and starts_with(coalesce(event.new_value, event.old_value), withheld.unit_number);

-- Erases a withheld address from events of a moved head office. An event about an address states no unit number, so
-- that it is found by the withheld address. If the head office closed in an earlier night, its event is not found.
with withheld as (
    select company_id, entry_id, array_agg(place) as places
    from stage.withheld
    where place is not null
    group by company_id, entry_id
)

update registry.event
set
    old_value = case when event.old_value <> all(withheld.places) then event.old_value end,
    new_value = case when event.new_value <> all(withheld.places) then event.new_value end
from withheld, registry.event_type
where
    (event.company_id, event.entry_id) = (withheld.company_id, withheld.entry_id)
    and (event.old_value = any(withheld.places) or event.new_value = any(withheld.places))
    and event_type.event_type = event.event_type
    and event_type.subject = 'address';

-- Erases copies by name only for watched companies, since mails show no other companies.
select person.erase(
    array(select distinct withheld.company_id from stage.withheld),
    array(
        select row(known.*)::registry.entry
        from (
            table stage.before
            union all
            select entry.* from registry.entry join stage.withheld using (company_id, entry_id)
        ) as known
        where
            known.entry_id in (select withheld.entry_id from stage.withheld)
            and exists (select from customer.watch where watch.company_id = known.company_id)
    )
);
