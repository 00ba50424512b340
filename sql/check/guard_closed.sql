-- Refuses a dump that closes more than 0.1 % of the entries per day, and more than `registry.guard_rows` entries.
-- Either the registry closes companies in bulk, or the dump is wrong. Checks only a registry whose dumps keep closed
-- entries; from dumps of other registries, closed entries vanish.
with closed as (
    select
        count(*) as row_count,
        last_run.entry_count,
        night.day_count,
        registry.percent(count(*), last_run.entry_count * night.day_count) as share
    from stage.night
    join registry.run as last_run on last_run.run_id = night.previous_run_id
    join stage.before on before.declared_status <> 'DELETED'
    join stage.after on after.entry_id = before.entry_id and after.declared_status = 'DELETED'
    group by last_run.entry_count, night.day_count
)

select
    format(
        '%s of %s entries ended in %s days: %s %% a day, the limit is 0.1 %%',
        registry.figure(row_count), registry.figure(entry_count), day_count, share
    ) as refusal,
    share as value,
    0.1 as limit_value
from closed
where row_count > registry.guard_rows() and 1000 * row_count > entry_count * day_count;
