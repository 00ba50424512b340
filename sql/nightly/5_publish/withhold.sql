-- Erases what earlier events tell of that which the owner of an entry withholds from now on, as
-- registry.withdraw does for one who asked us.

-- One row per entry and subject that is withheld for the first time. A null subject stands for all subjects that
-- tell of the owner. `unit_number` limits the row to one unit. `place` is the address at which this unit was
-- listed; null where the entry still has this address. A head office has the address of its entry.
create unlogged table stage.withheld as
select
    after.company_id,
    after.entry_id,
    after.entry_key,
    after.entity_type,
    withheld.subject,
    withheld.unit_number,
    withheld.place
from stage.before
join stage.after using (entry_id)
cross join lateral (
    select told.subject, null as unit_number, null as place
    from unnest(after.untold) as told (subject)
    where
        -- A day is untold where it is not known.
        told.subject <> 'start date'
        and told.subject <> all(coalesce(before.untold, '{}'))
    union all
    select null, null, null
    where after.is_partial and before.is_partial is not true
    union all
    select
        'unit',
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
        -- It closes tonight.
        select closed.value ->> 'identifier'
        from jsonb_array_elements(before.units) as closed
        -- `is true` keeps them in a hash table: a join would look through all for each entry.
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
-- What earlier events tell of closed units.
select
    entry.company_id,
    entry.entry_id,
    entry.entry_key,
    entry.entity_type,
    'unit',
    withheld_unit.unit_number,
    null
from stage.withheld_unit
cross join stage.night
join registry.entry
    on entry.source = night.source
    and entry.entry_key = withheld_unit.entry_key
where withheld_unit.is_told;

analyze stage.withheld;

update registry.event
set old_value = null, new_value = null
from stage.withheld, registry.event_type
where
    event.company_id = withheld.company_id
    and event.entry_id = withheld.entry_id
    and event_type.event_type = event.event_type
    and case
        when withheld.unit_number is not null
            then event_type.subject = 'unit'
            and starts_with(coalesce(event.new_value, event.old_value), withheld.unit_number)
        when withheld.subject is not null then event_type.subject = withheld.subject
        else
            registry.is_personal(event_type.category, withheld.entity_type)
            or event_type.category = 'location'
    end;

-- An event of a moved head office holds an address and no number: the listed address finds it. The event of an
-- office that closed earlier is not found.
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
    event.company_id = withheld.company_id
    and event.entry_id = withheld.entry_id
    and (event.old_value = any(withheld.places) or event.new_value = any(withheld.places))
    and event_type.event_type = event.event_type
    and event_type.subject = 'address';

update registry.corroboration
set old_value = null, new_value = null
from stage.withheld, registry.event_type, registry.event
where
    corroboration.company_id = withheld.company_id
    and corroboration.entry_id = withheld.entry_id
    and event.company_id = corroboration.company_id
    and event.event_id = corroboration.event_id
    and event_type.event_type = event.event_type
    and event.new_value is null
    and event.old_value is null;

update registry.company
set
    name = null,
    postal_code = null,
    changed_snapshot_no = registry.next_snapshot_no()
from stage.withheld
where
    company.merged_into_id = withheld.company_id
    and withheld.subject is null
    and num_nonnulls(company.name, company.postal_code) > 0;

-- Copies that name the number of the company, whoever watches it.
select person.erase_copies(
    array(select distinct withheld.company_id from stage.withheld),
    array(select distinct withheld.entry_key from stage.withheld)
)
where exists (select from stage.withheld);

-- Mails, and copies that name it otherwise, tell of companies that somebody watches.
do $$
declare
    entries constant registry.entry[] := array(
        select row(known.*)::registry.entry
        from (
            table stage.before
            union all
            select entry.* from registry.entry join stage.withheld using (company_id, entry_id)
        ) as known
        where
            known.entry_id in (select withheld.entry_id from stage.withheld)
            and exists (
                select from customer.watch
                where watch.company_id = known.company_id
            )
    );
begin
    if cardinality(entries) > 0 then
        perform person.erase_copies(entries, person.names_of(entries));
    end if;
end;
$$;
