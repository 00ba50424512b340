-- Cancels the request $1 to hide a person, at the time $2. The next dump with the person's records restores the
-- personal fields. Returns one row if the request exists and was not cancelled before.
with lifted as (
    update person.suppression
    set lifted_at = $2::timestamptz
    where suppression.suppression_id = $1::bigint and suppression.lifted_at is null
    returning suppression.suppression_id
),

lifted_key as (
    delete from person.suppressed_key
    using lifted
    where suppressed_key.suppression_id = lifted.suppression_id
    returning suppressed_key.key_hash
),

-- Clears the fingerprints of the person's entries, so that the next night reads the records of these entries again.
unread as (
    update registry.entry
    set fingerprint = null
    where
        entry.withdrawn_until = 'infinity'
        and person.hashes(entry) && array(select lifted_key.key_hash from lifted_key)
)

select lifted.suppression_id
from lifted
