-- Postpones the numbers of the lists $1 (types) and $2 (values) that are still awaited: $3 is the
-- count of attempts without an answer so far, $4 the last error, $5 the moment of the next attempt.
insert into customer.import (
    identifier_type, identifier_value, attempt_count, last_error, next_attempt_at
)
select asked.*
from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::timestamptz[])
    as asked (identifier_type, identifier_value, attempt_count, last_error, next_attempt_at)
where exists (
    select from customer.watch
    where
        watch.identifier_type = asked.identifier_type
        and watch.identifier_value = asked.identifier_value
        and watch.state = 'queued'
)
on conflict on constraint import_pkey do update
set
    attempt_count = excluded.attempt_count,
    last_error = excluded.last_error,
    next_attempt_at = excluded.next_attempt_at
