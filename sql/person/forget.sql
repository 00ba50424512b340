-- Hides the entries of the person whom the key $1 or the number $2 identifies, and erases the copies of these entries
-- (`person.erase_copies` of sql/function/22_person.sql). `person.hidden` of 21_hidden_entry.sql lists the hidden
-- fields, also after objections that a registry publishes. If $3 is given, searches only the registry $3. $4 is the
-- reason, $5 the requester, and $6 the time of the request. Returns one row: the id of the request, and the count,
-- numbers and names of the hidden entries. The id is null if no entry is found, or all entries are hidden already.
with known as materialized (
    select found as entry
    from person.find_entries($1::text, $2::text, $3::text) as found
),

trait as materialized (
    select distinct hash.value as key_hash
    from known
    cross join lateral unnest(person.hashes(known.entry)) as hash (value)
    where hash.value is not null
),

suppression as (
    insert into person.suppression (source, reason, requested_by, requested_at, entry_count)
    select $3, $4::text, $5::text, $6::timestamptz, (select count(*) from known)
    where exists (
        select trait.key_hash from trait
        except
        select suppressed_key.key_hash
        from person.suppressed_key
        join person.suppression as earlier using (suppression_id)
        where earlier.source is not distinct from $3
    )
    returning suppression.suppression_id
),

suppressed_key as (
    insert into person.suppressed_key (suppression_id, key_hash)
    select suppression.suppression_id, trait.key_hash
    from suppression
    cross join trait
)

select
    suppression.suppression_id::float8 as suppression_id,
    cardinality(asked.entries) as entry_count,
    person.names_of(asked.entries) as names,
    case when suppression.suppression_id is not null then person.hide(asked.entries, 'request') end,
    case when suppression.suppression_id is not null then registry.end_publication() end
from (select array(select known.entry from known) as entries) as asked
left join suppression on true
