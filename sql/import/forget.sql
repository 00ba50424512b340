-- What nobody waits for any more need not be asked for again.
delete from customer.import
where not exists (
    select from customer.watch
    where
        watch.identifier_type = import.identifier_type
        and watch.identifier_value = import.identifier_value
        and watch.state = 'queued'
)
