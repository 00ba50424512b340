-- More than 1 % of the entries lost the value of one field.
with lost as (
    select
        changed_field.field,
        count(*) as row_count,
        run.entry_count
    from stage.changed_field
    cross join stage.night
    join registry.run on run.run_id = night.previous_run_id
    where changed_field.is_lost
    group by changed_field.field, run.entry_count
)

select
    format(
        '%s of %s entries lost their %s: %s %%, the limit is 1 %%',
        lost.row_count,
        lost.entry_count,
        lost.field,
        round(100.0 * lost.row_count / nullif(lost.entry_count, 0), 2)
    ) as refusal,
    null as file,
    round(100.0 * lost.row_count / nullif(lost.entry_count, 0), 2) as value,
    1 as limit_value
from lost
where
    lost.row_count > 20
    and lost.row_count > 0.01 * lost.entry_count
order by lost.field;
