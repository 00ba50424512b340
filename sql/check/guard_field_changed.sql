-- More than 2 % of the entries changed in one field.
with changed as (
    select
        changed_field.field,
        count(*) as row_count,
        run.entry_count
    from stage.changed_field
    cross join stage.night
    join registry.run on run.run_id = night.previous_run_id
    -- The recoding of a country's activities to a new version is no mass change.
    where
        not changed_field.is_recoded
        or changed_field.is_lost
        or changed_field.field not in ('activities', 'main activity', 'activity version')
    group by changed_field.field, run.entry_count
)

select
    format(
        'the %s of %s of %s entries changed: %s %%, the limit is 2 %%',
        changed.field,
        changed.row_count,
        changed.entry_count,
        round(100.0 * changed.row_count / nullif(changed.entry_count, 0), 2)
    ) as refusal,
    null as file,
    round(100.0 * changed.row_count / nullif(changed.entry_count, 0), 2) as value,
    2 as limit_value
from changed
where
    changed.row_count > 20
    and changed.row_count > 0.02 * changed.entry_count
order by changed.field;
