-- Rejects records that repeat or contradict other records of the dump. Then stores all rejected rows with their text,
-- and pairs the other records with known entries by key. Most other reasons are set in normalise.sql.

set local default_statistics_target = 20;
analyze stage.entry (
    file_no, line, entry_key, fingerprint, content_hash, nip, regon9, krs, numbers, reason
);

-- Holds one row per hash that occurs more than once among the keys and numbers of all records. A number that is also
-- the key of its entry is hashed once. The query sorts the hashes, since a hash table of millions of groups would not
-- fit into a cache. Parallel workers are off, since the exchange of hashes between processes would cost 50 % more CPU.
set local enable_hashagg = off;
set local max_parallel_workers_per_gather = 0;

create unlogged table stage.repeated_hash as
select looked_at.hash
from (
    select
        unnest(
            array[
                hashtextextended(entry.entry_key, 0),
                hashtextextended(nullif(entry.nip, entry.entry_key), 0),
                hashtextextended(nullif(entry.regon9, entry.entry_key), 0),
                hashtextextended(nullif(entry.krs, entry.entry_key), 0)
            ]
        ) as hash
    from stage.entry
    where entry.reason is null
) as looked_at
where looked_at.hash is not null
group by looked_at.hash
having count(*) > 1;

set local enable_hashagg to default;
set local max_parallel_workers_per_gather to default;
analyze stage.repeated_hash;

-- Holds one row per record that may share its key or a number with another record.
create unlogged table stage.suspect as
select
    entry.file_no, entry.line, entry.entry_key
from stage.entry
where
    entry.reason is null
    and (
        hashtextextended(entry.entry_key, 0) in (select repeated_hash.hash from stage.repeated_hash)
        or hashtextextended(entry.nip, 0) in (select repeated_hash.hash from stage.repeated_hash)
        or hashtextextended(entry.regon9, 0) in (select repeated_hash.hash from stage.repeated_hash)
        or hashtextextended(entry.krs, 0) in (select repeated_hash.hash from stage.repeated_hash)
    );

analyze stage.suspect;

-- Rejects repeated records of an entry. Of records with equal content, one is accepted, preferably the
-- record that is already published. Records that contradict each other are all rejected.
with repeated_key as (
    select suspect.entry_key
    from stage.suspect
    group by suspect.entry_key
    having count(*) > 1
),

ranked as (
    select
        entry.file_no,
        entry.line,
        min(entry.content_hash) over same_key <> max(entry.content_hash) over same_key
            as is_contradicted,
        -- Selects another file that contains the entry; without another file, the file of the row itself.
        case entry.file_no
            when min(entry.file_no) over same_key then max(entry.file_no) over same_key
            else min(entry.file_no) over same_key
        end as other_file_no,
        row_number() over (
            partition by entry.entry_key
            order by
                (entry.fingerprint is not distinct from known.fingerprint) desc,
                entry.file_no,
                entry.line
        ) as rank
    from stage.entry
    join repeated_key using (entry_key)
    cross join stage.night
    left join registry.entry as known
        on known.source = night.source
        and known.entry_key = entry.entry_key
    where entry.reason is null
    window same_key as (partition by entry.entry_key)
)

update stage.entry
set
    reason = registry.rejection(
        case when ranked.is_contradicted then 'contradiction' else 'repetition' end,
        '%s another row of the same entry%s',
        case when ranked.is_contradicted then 'contradicts' else 'repeats' end,
        ' in ' || (
            select file.file
            from stage.file
            where
                file.file_no = ranked.other_file_no
                and ranked.other_file_no <> entry.file_no
        )
    )
from ranked
where
    (entry.file_no, entry.line) = (ranked.file_no, ranked.line)
    and (ranked.is_contradicted or ranked.rank > 1);

-- Holds one row per record of a known entry, with the hash and file of the known entry. An accepted record without a
-- row in stage.pair is a new entry. `is_changed` is true if the key, the content or the set of stated fields differs,
-- or if the entry returns to the registry or is struck off. `is_skipped` is true if the dump also contains yesterday's
-- record of the entry, which was skipped as unchanged.
create unlogged table stage.pair as
select
    entry.file_no, entry.line, known.company_id, known.entry_id, known.content_hash, known.file_key,
    false as has_new_key,
    entry.content_hash <> known.content_hash
    or row(known.is_partial, known.unstated) is distinct from row(entry.is_partial, entry.unstated)
    or (entry.gone_date is not null) <> (known.gone_date is not null) as is_changed,
    not night.is_full_read
    and known.gone_date is null
    and known.fingerprint is not null
    and missing_entry.fingerprint is null as is_skipped
from stage.entry
cross join stage.night
join registry.entry as known
    on known.source = night.source
    and known.entry_key = entry.entry_key
left join stage.missing_entry on missing_entry.fingerprint = known.fingerprint
where entry.reason is null or (entry.reason).reject_code = 'contradiction';

analyze stage.pair (file_no, line, entry_id, company_id, is_changed, is_skipped);

-- Rejects records with the same content as a skipped (unchanged) record of the same entry.
update stage.entry
set
    reason = registry.rejection(
        'repetition',
        'repeats another row of the same entry%s',
        ' in ' || (
            select min(file.file)
            from stage.file
            where file.file_key = pair.file_key and file.file_key <> entry.file_key
        )
    )
from stage.pair
where
    entry.reason is null
    and pair.is_skipped
    and (pair.file_no, pair.line) = (entry.file_no, entry.line)
    and pair.content_hash = entry.content_hash;

insert into stage.notice (subject, value)
select 'date', dated.value
from stage.entry
cross join lateral unnest(entry.wrong_dates) as dated (value)
where entry.reason is null;

insert into stage.reject (file_no, line, reject_code, reason, raw, entry_key)
select
    entry.file_no,
    entry.line,
    (entry.reason).reject_code,
    (entry.reason).reason,
    left(record.raw, 4000),
    entry.entry_key
from stage.entry
join stage.record using (file_no, line)
where entry.reason is not null;

-- Deletes the rows of stage.pair for rejected records. Returns the number of rows that contradict a skipped record. If
-- the number is not 0, the night reads all records, so that both contradicting rows are rejected.
with rejected as (
    delete from stage.pair
    using stage.reject
    where (pair.file_no, pair.line) = (reject.file_no, reject.line)
)

select count(*)::integer as contradictions
from stage.entry
join stage.pair using (file_no, line)
where
    pair.is_skipped
    and (entry.reason is null or (entry.reason).reject_code = 'contradiction');
