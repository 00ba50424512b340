-- Turns changed units into events. A unit is open when it is listed without an end. One without an address of
-- its own is the head office, at the address of its entry: what that or the status tells is no other event.

with open_unit as (
    -- One row per changed entry and open unit of yesterday or today.
    select
        after.company_id,
        after.entry_id,
        list.is_old,
        unit.value ->> 'identifier' as identifier,
        unit.value ->> 'name' as name,
        not unit.value ? 'address' as is_seat,
        withheld.is_partial,
        before.declared_status <> after.declared_status
        or (before.units #>> '{0,identifier}') is distinct from (after.units #>> '{0,identifier}')
            as is_told,
        coalesce(
            case when withheld.is_partial then unit.value ->> 'identifier' end,
            registry.unit_line(unit.value)
        ) as line,
        -- A number says more.
        case
            when unit.value ->> 'identifier' is null then registry.address_meaning(
                after.country_code, registry.unit_line(unit.value - 'identifier' - 'name')
            )
        end as address
    from stage.before
    join stage.after using (entry_id)
    cross join lateral (
        values
        (true, before.units),
        (false, after.units)
    ) as list (is_old, units)
    cross join lateral jsonb_array_elements(list.units) as unit
    -- Tonight's mark counts for what was listed yesterday too.
    cross join lateral (
        select
            unit.value ? 'is_partial'
            or after.is_partial is true
            or unit.value ->> 'identifier' in (select unit_number from stage.withheld_unit) is true
                as is_partial
    ) as withheld
    where
        before.units is distinct from after.units
        and not registry.is_unit_closed(after.country_code, unit.value)
),

named_unit as (
    select
        open_unit.*,
        count(*) filter (where open_unit.is_old) over same_name = 1
        and count(*) filter (where not open_unit.is_old) over same_name = 1 as has_namesake
    from open_unit
    window same_name as (
        partition by open_unit.entry_id, open_unit.identifier is null, open_unit.name
    )
),

placed_unit as (
    select
        named_unit.*,
        count(*) filter (where named_unit.is_old) over same_place = 1
        and count(*) filter (where not named_unit.is_old) over same_place = 1 as has_successor
    from named_unit
    window same_place as (
        partition by
            named_unit.entry_id, named_unit.identifier is null, named_unit.has_namesake,
            named_unit.address
    )
),

unit as (
    -- A unit is known by its number; without a number by its name, if the name is unique in the entry;
    -- else by its address, if that is unique; otherwise by the whole line.
    select
        placed_unit.company_id,
        placed_unit.entry_id,
        min(placed_unit.line collate "C") filter (where placed_unit.is_old) as old_line,
        min(placed_unit.line collate "C") filter (where not placed_unit.is_old) as new_line,
        bool_or(placed_unit.is_seat) as is_seat,
        bool_or(placed_unit.is_partial) as is_partial,
        bool_or(placed_unit.is_told) as is_told,
        min(placed_unit.name collate "C") is not distinct from max(placed_unit.name collate "C")
        and count(placed_unit.name) <> 1 as is_same_name
    from placed_unit
    where placed_unit.line is not null
    group by
        placed_unit.company_id,
        placed_unit.entry_id,
        coalesce(
            placed_unit.identifier,
            case
                when placed_unit.has_namesake then placed_unit.name
                when placed_unit.has_successor then placed_unit.address
            end,
            placed_unit.line
        )
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
    -- Of one whose owner withholds something only that it opens and closes, by its number.
    and not (unit.is_partial and unit.old_line is not null and unit.new_line is not null)
    and not (
        unit.is_seat
        and case
            when unit.old_line is null or unit.new_line is null then unit.is_told
            else unit.is_same_name
        end
    )
    -- A unit without a number that moves with its company is told by the company's address.
    and not exists (
        select from stage.event
        where
            event.entry_id = unit.entry_id
            and event.event_type = 'COMPANY_ADDRESS_CHANGED'
            and unit.old_line !~ '^[0-9]{14}( |$)'
            and unit.new_line = replace(unit.old_line, event.old_value, event.new_value)
    );
