-- Postpones the numbers of $1, a list of rows of customer.import, that are still awaited.
insert into customer.import
select asked.*
from jsonb_populate_recordset(null::customer.import, $1) as asked
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
