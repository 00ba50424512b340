-- One row per number of the lists $1 (types) and $2 (values) that is still awaited.
select distinct
    asked.identifier_type,
    asked.identifier_value
from unnest($1::text[], $2::text[]) as asked (identifier_type, identifier_value)
join customer.watch using (identifier_type, identifier_value)
where watch.state = 'queued'
