-- Counts a request for each rate limit key in the list $1 at the time $2, and returns one row per key with its count.
-- If the window of a key has ended, a new window begins and ends at the time that the list $3 gives for the key. Rows
-- are locked in the order of their keys, so that two processes cannot deadlock. The commit does not wait for the disk
-- (`synchronous_commit` is off): a crash may lose the newest counts.
with setting as materialized (
    select set_config('synchronous_commit', 'off', true)
)
insert into customer.rate_limit as counter (limit_key, hit_count, reset_at)
select limit_key, count(*), min(reset_at)
from setting
cross join unnest($1::text[], $3::timestamptz[]) as hit (limit_key, reset_at)
group by limit_key
order by limit_key
on conflict (limit_key) do update set
    hit_count = excluded.hit_count + case
        when counter.reset_at <= $2::timestamptz then 0
        else counter.hit_count
    end,
    reset_at = case
        when counter.reset_at <= $2::timestamptz then excluded.reset_at
        else counter.reset_at
    end
returning limit_key, hit_count, reset_at
