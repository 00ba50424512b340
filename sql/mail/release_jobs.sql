-- Releases the jobs of dead workers, and returns one row with their names. A living worker holds the lock of its name.
with gone as (
    delete from registry.lock
    where lock.lock_name like 'worker %' and not registry.is_held(lock)
)
select
    array_agg(holder.locked_by) as workers,
    graphile_worker.force_unlock_workers(array_agg(holder.locked_by)) as released
from (
    select distinct locked_by
    from graphile_worker.jobs
    where locked_by is not null
) as holder
where not exists (
    select
    from registry.lock
    where lock.lock_name = 'worker ' || holder.locked_by and registry.is_held(lock)
)
having count(*) > 0
