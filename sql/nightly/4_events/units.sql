-- Turns changed units (establishments of a company) into events, whose text `unit_line` of 08_address_and_unit_line.sql
-- writes. A unit is open if it is listed and not marked as closed. A unit without an address of its own is the head
-- office. A changed address or status of the entry makes no event of the head office. Two addresses to which the
-- registry gives the same identifier count as the same address.

with open_unit as (
    -- Lists yesterday's and today's open units of changed entries. `place` is the unit's position in its entry's list.
    select
        after.company_id, after.entry_id, after.entry_key, after.name as company_name, list.is_old,
        unit.place,
        unit.value ->> 'identifier' as identifier,
        unit.value ->> 'name' as name,
        not unit.value ? 'address' as is_seat,
        list.address_ids[unit.place] as address_id,
        withheld.is_partial,
        before.declared_status <> after.declared_status
        or (before.units #>> '{0,identifier}') is distinct from (after.units #>> '{0,identifier}')
            as is_stated,
        coalesce(
            case when withheld.is_partial then unit.value ->> 'identifier' end,
            registry.unit_line(unit.value)
        ) as line,
        -- For a unit with a number, `address` is null, since the number alone identifies the unit.
        case
            when unit.value ->> 'identifier' is null then registry.address_meaning(
                after.country_code, registry.unit_line(unit.value - 'identifier' - 'name')
            )
        end as address
    from stage.before
    join stage.after using (entry_id)
    cross join lateral (
        values
        (true, before.units, before.address_ids),
        (false, after.units, after.address_ids)
    ) as list (is_old, units, address_ids)
    cross join lateral jsonb_array_elements(list.units) with ordinality as unit (value, place)
    -- A unit that is marked as withheld tonight is treated as withheld in yesterday's list too.
    cross join lateral (
        select
            unit.value ? 'is_partial'
            or after.is_partial is true
            or unit.value ->> 'identifier' in (select unit_number from stage.withheld_unit) is true
                as is_partial
    ) as withheld
    where
        before.units is distinct from after.units
        and not unit.value ? 'is_closed'
),

named_unit as (
    -- Lists one row per open unit without a number. `known_by` is the unit's name, if unique in the entry, or its whole
    -- line, if this line occurs as often as yesterday.
    select
        open_unit.*,
        case
            when
                count(*) filter (where open_unit.is_old) over same_name = 1
                and count(*) filter (where not open_unit.is_old) over same_name = 1
                then open_unit.name
            when
                count(*) filter (where open_unit.is_old) over same_line
                = count(*) filter (where not open_unit.is_old) over same_line
                then open_unit.line
        end as known_by
    from open_unit
    where open_unit.identifier is null
    window
        same_name as (partition by open_unit.entry_id, open_unit.name),
        same_line as (partition by open_unit.entry_id, open_unit.line)
),

renamed_unit as (
    -- Lists one row per pair of a unit whose name has disappeared and a unit that may be its successor. Either the
    -- history of the second unit has the old name, or the two names are equal without the company's name. `is_only` is
    -- true if the two units resemble each other more than any other unit.
    select
        former.entry_id, former.place as old_place, renamed.place as new_place,
        rank() over of_old = 1
        and rank() over of_new = 1
        and count(*) over as_old = 1
        and count(*) over as_new = 1 as is_only
    from named_unit as former
    join named_unit as renamed using (entry_id)
    left join stage.former_unit as history
        on (history.entry_key, history.name) = (renamed.entry_key, renamed.name)
        and history.former_name = former.name
    cross join lateral (
        select case
            when strpos(renamed.name, renamed.company_name) > 0 then nullif(
                btrim(replace(renamed.name, renamed.company_name, ''), ' ,.–-'), ''
            )
        end as own_name
    ) as part
    cross join lateral (
        values
        (1000, history.name is not null),
        (
            length(part.own_name),
            right(former.name, length(part.own_name) + 1) = ' ' || part.own_name
            or left(former.name, length(part.own_name) + 1) = part.own_name || ' '
        )
    ) as reason (weight, holds)
    where
        former.is_old
        and not renamed.is_old
        and former.known_by is null
        and renamed.known_by is null
        and reason.holds
    group by former.entry_id, former.place, renamed.place
    window
        of_old as (partition by former.entry_id, former.place order by max(reason.weight) desc),
        of_new as (partition by former.entry_id, renamed.place order by max(reason.weight) desc),
        as_old as (partition by former.entry_id, former.place, max(reason.weight)),
        as_new as (partition by former.entry_id, renamed.place, max(reason.weight))
),

placed_unit as (
    -- If an address has as many units as yesterday, the units are matched in the order of the list.
    select
        named_unit.*,
        coalesce(
            named_unit.known_by,
            'place ' || renamed_unit.old_place,
            case
                when
                    count(*) filter (where named_unit.is_old) over same_place
                    = count(*) filter (where not named_unit.is_old) over same_place
                    -- The `key` is null for a unit without an address.
                    then named_unit.address || ' ' || row_number() over (
                        partition by
                            named_unit.entry_id, named_unit.known_by is null,
                            renamed_unit.old_place is null, named_unit.address, named_unit.is_old
                        order by named_unit.place
                    )
            end
        ) as key
    from named_unit
    left join renamed_unit
        on renamed_unit.entry_id = named_unit.entry_id
        and renamed_unit.is_only
        and named_unit.known_by is null
        and named_unit.place = case
            when named_unit.is_old then renamed_unit.old_place else renamed_unit.new_place
        end
    window same_place as (
        partition by
            named_unit.entry_id, named_unit.known_by is null, renamed_unit.old_place is null,
            named_unit.address
    )
),

unit as (
    -- Lists one row per unit. A unit with a number is identified by its number. A unit without a number is identified
    -- by its unique name, its former name, its address with position, or its whole line, in this order.
    select
        keyed.company_id,
        keyed.entry_id,
        min(keyed.line collate "C") filter (where keyed.is_old) as old_line,
        min(keyed.line collate "C") filter (where not keyed.is_old) as new_line,
        bool_or(keyed.is_seat) as is_seat,
        bool_or(keyed.is_partial) as is_partial,
        bool_or(keyed.is_stated) as is_stated,
        min(keyed.name collate "C") is not distinct from max(keyed.name collate "C")
        and count(keyed.name) <> 1 as is_same_name,
        min(keyed.address_id collate "C") = max(keyed.address_id collate "C")
        and count(keyed.address_id) = 2 as is_same_place
    from (
        select open_unit.*, null as known_by, open_unit.identifier as key
        from open_unit
        where open_unit.identifier is not null
        union all
        select placed_unit.* from placed_unit
    ) as keyed
    where keyed.line is not null
    group by keyed.company_id, keyed.entry_id, coalesce(keyed.key, keyed.line)
)

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    unit.company_id,
    unit.entry_id,
    case
        when unit.old_line is null then 'COMPANY_UNIT_OPENED'
        when unit.new_line is null then 'COMPANY_UNIT_CLOSED'
        else 'COMPANY_UNIT_CHANGED'
    end,
    unit.old_line,
    unit.new_line
from unit
cross join stage.night
where
    unit.new_line is distinct from unit.old_line
    and registry.value_meaning(night.country_code, 'unit', unit.new_line)
    is distinct from registry.value_meaning(night.country_code, 'unit', unit.old_line)
    -- A withheld unit makes events only when it opens or closes; these events state only the unit's number.
    and not (unit.is_partial and unit.old_line is not null and unit.new_line is not null)
    and not (
        unit.is_seat
        and case
            when unit.old_line is null or unit.new_line is null then unit.is_stated
            else unit.is_same_name
        end
    )
    and not (unit.is_same_place and unit.is_same_name) is true
    -- If a unit without a number moves with the company, the event of the company's address covers the move.
    and not exists (
        select from stage.event
        where
            event.entry_id = unit.entry_id
            and event.event_type = 'COMPANY_ADDRESS_CHANGED'
            and unit.old_line !~ '^[0-9]{14}([ ,]|$)'
            and unit.new_line = replace(unit.old_line, event.old_value, event.new_value)
    );
