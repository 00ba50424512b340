-- Compares yesterday with today: which entries are gone.

-- One row per entry without a record of today: its state of yesterday. `waits`: the night decides
-- nothing before the next clean dump, for example because an unreadable record may belong to the entry.
-- An entry on a list of deletions does not wait, since no later delta repeats the list. `is_unreadable`:
-- an unreadable record holds a number of the entry, so the entry has no new identity.
create unlogged table stage.vanished as
with absent as (
    select absent.*
    from stage.absent
    cross join stage.night
    where not exists (
        -- A rejected record with a readable key counts too, but not against a list of deletions.
        select from stage.entry
        where
            entry.entry_key = absent.entry_key
            and (entry.reason is null or night.dump_kind = 'full')
    )
),

unreadable_number as (
    -- The row may have moved to another file before it became unreadable.
    select distinct match.part[1] as number
    from stage.reject
    cross join lateral regexp_matches(reject.raw, '[0-9]{9,10}', 'g') as match (part)
    where not reject.is_repeat
    union
    -- The REGON of a unit begins with the REGON of its company.
    select match.part[1]
    from stage.reject
    cross join lateral regexp_matches(
        reject.raw, '(?<![0-9])([0-9]{9})[0-9]{5}(?![0-9])', 'g'
    ) as match (part)
    where not reject.is_repeat
)

select
    entry.*,
    own.is_unreadable,
    night.dump_kind = 'full'
    and (
        own.is_unreadable
        or entry.file_key in (
            select file.file_key
            from stage.reject
            join stage.file using (file_no)
            where not reject.is_repeat
        )
        -- An entry that was imported on demand may be newer than the dump.
        or entry.changed_date >= night.dump_date
        -- On demand, CEIDG also answers with future entries; the dump lists them from their start on.
        or entry.start_date > night.dump_date
    ) as waits
from absent
cross join stage.night
join registry.entry using (company_id, entry_id)
cross join lateral (
    select (
        entry.nip in (select unreadable_number.number from unreadable_number)
        or entry.regon9 in (select unreadable_number.number from unreadable_number)
        or entry.krs in (select unreadable_number.number from unreadable_number)
        or entry.entry_key in (select unreadable_number.number from unreadable_number)
    ) is true as is_unreadable
) as own;

analyze stage.vanished;
