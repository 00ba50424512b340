-- One row per awaited number that is due at $1, at most $2, the longest awaited first.
select
    watch.identifier_type,
    watch.identifier_value,
    coalesce(import.attempt_count, 0) as attempt_count
from customer.watch
left join customer.import using (identifier_type, identifier_value)
where
    watch.state = 'queued'
    and (import.next_attempt_at is null or import.next_attempt_at <= $1::timestamptz)
group by watch.identifier_type, watch.identifier_value, import.attempt_count
order by min(watch.watch_id)
limit $2
