-- Compares the hash of each entry, and the state hash of the newest run, with hashes that are computed from the
-- entries. `registry.state_hash` of sql/function/entry/25_state_and_content_hash.sql makes a hash per entry, whose sum
-- does not depend on the order of the entries. Also finds withdrawn entries that still have personal fields.
with hashed as (
    select
        entry.entry_id, entry.content_hash, entry.gone_date,
        registry.content_hash(entry) as found_hash
    from registry.entry
    where entry.source = $1::text
)

select format(
    'the state hash of run %s is %s, the entries give %s',
    newest.run_id, newest.state_hash, found.state_hash
) as finding
from registry.run as newest
cross join (
    select coalesce(sum(registry.state_hash(hashed.found_hash, hashed.gone_date)), 0) as state_hash
    from hashed
) as found
where
    newest.run_id = registry.newest_run($1)
    and newest.state_hash is distinct from found.state_hash
union all
select format('the hash of entry %s is not that of its content', hashed.entry_id)
from hashed
where hashed.content_hash <> hashed.found_hash
union all
select format('entry %s is withdrawn, and has personal fields', entry.entry_id)
from registry.entry
where
    entry.source = $1
    and entry.withdrawn_until = 'infinity'
    and entry is distinct from person.hidden(entry, 'request')
limit 100;
