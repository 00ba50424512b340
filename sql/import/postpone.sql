-- Postpones those of the numbers $1 that are still awaited. Their accounts are locked first.
with asked as (
    select *
    from jsonb_to_recordset($1) as asked (
        identifier_type text, identifier_value text, attempt_count integer, last_error text,
        next_attempt_at timestamptz
    )
),

locked as materialized (
    select customer.lock_watches(customer.awaiting($1))
),

postponed as (
    update customer.watch
    set next_attempt_at = asked.next_attempt_at
    from asked
    cross join locked
    where
        watch.identifier_type = asked.identifier_type
        and watch.identifier_value = asked.identifier_value
        and watch.state = 'queued'
    returning asked.identifier_type, asked.identifier_value, asked.attempt_count, asked.last_error
)

insert into customer.import (identifier_type, identifier_value, attempt_count, last_error)
select distinct * from postponed
on conflict on constraint import_pkey do update
set
    attempt_count = excluded.attempt_count,
    last_error = excluded.last_error
