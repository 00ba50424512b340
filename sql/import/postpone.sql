-- Postpones the numbers of the lists $1 (types) and $2 (values): $3 is the count of attempts without
-- an answer so far, $4 the last error, $5 the moment of the next attempt.
insert into customer.import (
    identifier_type, identifier_value, attempt_count, last_error, next_attempt_at
)
select *
from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::timestamptz[])
on conflict on constraint import_pkey do update
set
    attempt_count = excluded.attempt_count,
    last_error = excluded.last_error,
    next_attempt_at = excluded.next_attempt_at
