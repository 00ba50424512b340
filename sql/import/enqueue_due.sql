-- Queues the import job where a number is due at $1, for the first time or again.
select customer.enqueue_import()
where exists (
    select from customer.watch
    left join customer.import using (identifier_type, identifier_value)
    where
        watch.state = 'queued'
        and (import.next_attempt_at is null or import.next_attempt_at <= $1::timestamptz)
)
