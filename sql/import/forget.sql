-- Numbers that are no longer awaited are not asked for again.
delete from customer.import
where not exists (
    select from customer.watch
    where
        watch.identifier_type = import.identifier_type
        and watch.identifier_value = import.identifier_value
        and watch.state = 'queued'
)
