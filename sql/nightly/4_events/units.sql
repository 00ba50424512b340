-- Turns changed units into events. A unit is open when it is listed without an end.

with open_unit as (
    -- One row per changed entry and open unit of yesterday or today.
    select
        after.company_id,
        after.entry_id,
        list.is_old,
        unit.value ->> 'identifier' as identifier,
        unit.value ->> 'name' as name,
        registry.unit_line(unit.value) as line
    from stage.before
    join stage.after using (entry_id)
    cross join lateral (
        values
        (true, before.units),
        (false, after.units)
    ) as list (is_old, units)
    cross join lateral jsonb_array_elements(list.units) as unit
    where
        before.units is distinct from after.units
        and not registry.is_unit_closed(unit.value)
),

named_unit as (
    select
        open_unit.*,
        greatest(
            count(*) filter (where open_unit.is_old) over same_name,
            count(*) filter (where not open_unit.is_old) over same_name
        ) as namesake_count
    from open_unit
    window same_name as (
        partition by open_unit.entry_id, open_unit.identifier is null, open_unit.name
    )
),

unit as (
    -- A unit is known by its number; without a number by its name, if the name is unique in the entry;
    -- otherwise by the whole line.
    select
        named_unit.company_id,
        named_unit.entry_id,
        min(named_unit.line collate "C") filter (where named_unit.is_old) as old_line,
        min(named_unit.line collate "C") filter (where not named_unit.is_old) as new_line
    from named_unit
    where named_unit.line is not null
    group by
        named_unit.company_id,
        named_unit.entry_id,
        coalesce(
            named_unit.identifier,
            case when named_unit.namesake_count = 1 then named_unit.name end,
            named_unit.line
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
where unit.new_line is distinct from unit.old_line;
