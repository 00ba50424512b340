-- Erases the personal fields of records whose person asked for it. Runs after the night has the lock
-- that `registry forget` takes too: a request that came while the dump was read counts.

-- The fast hash leaves few candidates; of a first snapshot the slow hash would cost as much as reading.
insert into stage.withdrawn (file_no, line, suppression_id, key_hash, bucket)
with candidate as materialized (
    select entry.file_no, entry.line, entry.source, entry.entity_type, trait.value, known.traits
    from stage.entry
    cross join lateral (
        select
            array(
                select from_record.value
                from person.traits(
                    entry.source, entry.entry_key, entry.nip, entry.regon9, entry.surname,
                    entry.first_name, entry.name, entry.start_date
                ) as from_record (value)
            ) as traits
        offset 0
    ) as known
    cross join lateral unnest(known.traits) as trait (value)
    where
        exists (select from person.suppressed_key)
        and person.bucket(trait.value, (select secret.seed from person.secret)) in (
            select suppressed_key.bucket from person.suppressed_key
        )
),

hashed as materialized (
    select
        candidate.file_no,
        candidate.line,
        candidate.traits,
        request.source,
        person.hash(request.source, candidate.value) as key_hash
    from candidate
    cross join lateral (values (null), (candidate.source)) as request (source)
    where request.source is not null or candidate.entity_type = 'NATURAL'
),

found as (
    select distinct
        hashed.file_no,
        hashed.line,
        hashed.traits,
        hashed.source,
        suppressed_key.suppression_id
    from hashed
    join person.suppressed_key using (key_hash)
)

-- The other traits of the record identify the person from now on too, such as a new number.
select distinct
    found.file_no,
    found.line,
    found.suppression_id,
    person.hash(found.source, trait.value),
    person.bucket(trait.value, secret.seed)
from found
cross join person.secret
cross join lateral unnest(found.traits) as trait (value);

analyze stage.withdrawn;

-- A row of registry.entry, withdrawn, between the columns that only the night has.
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
select erased.*
from known
cross join lateral jsonb_populate_record(
    known.entry,
    to_jsonb(
        registry.withdrawn(jsonb_populate_record(null::registry.entry, to_jsonb(known.entry)))
    ) - '{company_id, entry_id}'::text[]
) as erased;
