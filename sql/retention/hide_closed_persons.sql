-- Hides at most $2 entries of natural persons that were closed before the day $1. Returns one row with the count of
-- hidden entries; no row if no entry was hidden.
with closed as materialized (
    select entry
    from registry.entry
    where
        entry.entity_type = 'NATURAL'
        and entry.status = 'DELETED'
        and entry.withdrawn_until is distinct from 'infinity'
        and coalesce(entry.gone_date, least(entry.end_date, entry.struck_off_date)) < $1::date
    limit $2::integer
)

select
    (select count(*)::integer from closed) as entry_count,
    person.hide(array(select closed.entry from closed), 'period'),
    registry.end_publication()
where exists (select from closed)
