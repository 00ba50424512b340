-- Turns changed units into events. A unit is open when it is listed without an end.

-- One row per changed entry and open unit of yesterday or today. unit_key: the number of the unit;
-- without a number its name, if the name is unique in the entry; otherwise the whole line.
create unlogged table stage.unit as
with open_unit as (
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
)

select distinct on (unit_key.entry_id, unit_key.is_old, unit_key.value)
    unit_key.company_id,
    unit_key.entry_id,
    unit_key.is_old,
    unit_key.value as unit_key,
    unit_key.line
from (
    select
        named_unit.*,
        coalesce(
            named_unit.identifier,
            case when named_unit.namesake_count = 1 then named_unit.name end,
            named_unit.line
        ) as value
    from named_unit
) as unit_key
where unit_key.line is not null
order by unit_key.entry_id, unit_key.is_old, unit_key.value, unit_key.line;

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    coalesce(new_unit.company_id, old_unit.company_id),
    coalesce(new_unit.entry_id, old_unit.entry_id),
    case
        when old_unit.line is null then 'COMPANY_UNIT_OPENED'
        when new_unit.line is null then 'COMPANY_UNIT_CLOSED'
        else 'COMPANY_UNIT_CHANGED'
    end,
    old_unit.line,
    new_unit.line
from (
    select * from stage.unit where unit.is_old
) as old_unit
full join (
    select * from stage.unit where not unit.is_old
) as new_unit
    on new_unit.entry_id = old_unit.entry_id
    and new_unit.unit_key = old_unit.unit_key
where new_unit.line is distinct from old_unit.line;
