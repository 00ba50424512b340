-- Postpones the numbers of the list $1 that are still awaited, at most until they fail. Their accounts are locked first.
with locked as materialized (
    select customer.lock_watches(customer.awaiting($1))
)

update customer.watch
set
    next_attempt_at = least(
        asked.next_attempt_at, watch.created_at + make_interval(days => customer.watch_days())
    ),
    attempt_count = asked.attempt_count,
    last_error = asked.last_error
from locked
cross join jsonb_to_recordset($1) as asked (
    identifier_type text, identifier_value text, attempt_count integer, last_error text,
    next_attempt_at timestamptz
)
where
    watch.identifier_type = asked.identifier_type
    and watch.identifier_value = asked.identifier_value
    and watch.state = 'queued'
