-- Erases the personal fields in records of persons who asked to be forgotten. The night already holds the lock that
-- `registry forget` takes, so that the night sees all requests that arrived while the dump was read. Fields that an
-- objection empties are no lost fields: see 2_compare/changed_and_lost_fields.sql.

-- Collects all hashes of a record that matches a request, so that later records with any of the hashes are recognized.
insert into stage.withdrawn (file_no, line, suppression_id, key_hash)
with found as (
    select distinct
        entry.file_no, entry.line, suppressed_key.suppression_id, known.hashes
    from stage.entry
    cross join person.secret
    cross join lateral (select person.hashes(secret.key, entry) as hashes) as known
    cross join lateral unnest(known.hashes) as hash (key_hash)
    join person.suppressed_key using (key_hash)
    join person.suppression using (suppression_id)
    where
        -- Records are hashed only if a request exists, since hashing a million records takes five seconds.
        exists (select from person.suppressed_key)
        and (
            suppression.source = entry.source
            or suppression.source is null and entry.entity_type = 'NATURAL'
        )
)

select distinct
    found.file_no, found.line, found.suppression_id, hash.value
from found
cross join lateral unnest(found.hashes) as hash (value)
where hash.value is not null;

analyze stage.withdrawn;

with known as (
    delete from stage.entry
    where
        exists (select from stage.withdrawn)
        and (entry.file_no, entry.line) in (
            select withdrawn.file_no, withdrawn.line from stage.withdrawn
        )
    returning entry
)

insert into stage.entry
select hidden.*
from known
cross join lateral person.hidden(known.entry, 'request') as hidden;
