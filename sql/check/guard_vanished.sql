-- More than 0.5 % of all entries vanished, or are on a list of deletions.
with vanished as (
    select
        count(*) as row_count,
        run.entry_count,
        night.dump_kind
    from stage.vanished
    cross join stage.night
    join registry.run on run.run_id = night.previous_run_id
    where not vanished.waits
    group by run.entry_count, night.dump_kind
)

select
    format(
        '%s of %s entries %s: %s %%, the limit is 0.5 %%',
        vanished.row_count,
        vanished.entry_count,
        case vanished.dump_kind when 'full' then 'vanished' else 'are said to be struck off' end,
        round(100.0 * vanished.row_count / nullif(vanished.entry_count, 0), 2)
    ) as refusal,
    null as file,
    round(100.0 * vanished.row_count / nullif(vanished.entry_count, 0), 2) as value,
    0.5 as limit_value
from vanished
where
    vanished.row_count > 20
    and vanished.row_count > 0.005 * vanished.entry_count;
