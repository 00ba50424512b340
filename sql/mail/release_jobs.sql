-- Gives back the jobs of workers that are gone: each worker holds, as long as it lives, the advisory
-- lock of the class $1 that its name hashes to.
select
    array_agg(holder.locked_by) as workers,
    graphile_worker.force_unlock_workers(array_agg(holder.locked_by)) as released
from (
    select distinct locked_by
    from graphile_worker.jobs
    where locked_by is not null
) as holder
where pg_try_advisory_xact_lock($1, hashtext(holder.locked_by))
having count(*) > 0
