-- Gives back the jobs of workers that are gone: each worker holds, as long as it lives, the advisory
-- lock of the class $1 that its name hashes to.
with
holder as materialized (
    select distinct locked_by
    from graphile_worker.jobs
    where locked_by is not null
),

gone as materialized (
    select locked_by
    from holder
    where pg_try_advisory_xact_lock($1, hashtext(locked_by))
)

select
    array_agg(locked_by) as workers,
    graphile_worker.force_unlock_workers(array_agg(locked_by)) as released
from gone
having count(*) > 0
