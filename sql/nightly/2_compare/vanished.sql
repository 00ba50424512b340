-- Compares yesterday with today: finds the entries of stage.absent that are gone. A gone entry has no record in a full
-- dump, or is listed as deleted in a delta. The strike-off events of gone entries are written by 4_events/states.sql.

-- Holds one row per number in a rejected record. `types` lists its possible identifier types, such as NIP; null if the
-- identifier types are uncertain.
create unlogged table stage.unreadable_number as
with written as (
    select distinct
        reject.file_no, reject.line, part.number,
        -- The identifier types of digits in the raw text are looked up only if the mapping could not read the record.
        part.is_whole
        and (reject.file_no, reject.line) not in (
            select entry.file_no, entry.line
            from stage.entry
            where entry.reason is not null
        ) as is_alone
    from stage.reject
    cross join lateral regexp_matches(reject.raw, '[0-9]{9,}', 'g') as match (digits)
    cross join lateral (
        -- The 14-digit number of a unit begins with the number of its company.
        select case length(digits[1]) when 14 then left(digits[1], 9) else digits[1] end, true
        where length(digits[1]) in (9, 10, 14)
        union all
        select whole[1], false
        from regexp_matches(digits[1], '[0-9]{9,10}', 'g') as whole
        where length(digits[1]) > 10
    ) as part (number, is_whole)
    where reject.reject_code <> 'repetition'
)

select
    written.file_no, written.line, written.number, look.types
from written
cross join lateral (
    select case
        when bool_and(registry.is_number(type.identifier_type, written.number))
            then array_agg(type.identifier_type)
    end as types
    from registry.identifier_type as type
    join stage.night using (country_code)
    where written.is_alone and written.number ~ type.pattern
) as look
union all
-- Adds the numbers that the mapping has read from the columns of rejected records.
select
    entry.file_no, entry.line, number.identifier_value,
    case
        when
            type.reject_name is null
            or registry.is_number(number.identifier_type, number.identifier_value)
            then array[number.identifier_type]
    end
from stage.entry
cross join stage.night
cross join lateral registry.list_numbers(
    night.country_code, entry.nip, entry.regon9, entry.krs, entry.numbers, entry.entry_key,
    entry.units
) as number
join registry.identifier_type as type using (identifier_type)
where (entry.reason).reject_code <> 'repetition';

analyze stage.unreadable_number;

-- Holds one row per file and set of identifier types that a rejected record of the file has.
create unlogged table stage.unreadable as
select distinct
    file.file_key,
    stated.types
from stage.reject
join stage.file using (file_no)
left join lateral (
    select array_agg(distinct type.value order by type.value) as types
    from stage.unreadable_number as number
    cross join lateral unnest(number.types) as type (value)
    where number.file_no = reject.file_no and number.line = reject.line
) as stated on true
where reject.reject_code <> 'repetition';

-- Holds one row per entry without a record of today: its state of yesterday. `waits` is true if only the next dump
-- decides whether the entry is gone, for example because of a rejected record. A rejected record may belong to the
-- entry if it has a number of the entry or, in the entry's file, has no number of the entry's types. An entry on a list
-- of deletions is gone at once, since no later delta repeats the list. `is_unreadable` is true if a rejected record has
-- a number of the entry: changed_key.sql then looks for no new key.
create unlogged table stage.vanished as
with absent as (
    select absent.*
    from stage.absent
    cross join stage.night
    where not exists (
        -- In a full dump, a rejected record with the key of an entry shows that the entry still exists.
        select from stage.entry
        where
            entry.entry_key = absent.entry_key
            and (entry.reason is null or night.dump_kind = 'full')
    )
)

select
    entry.*,
    own.is_unreadable,
    night.dump_kind = 'full'
    and (
        own.is_unreadable
        or exists (
            select from stage.unreadable
            where
                unreadable.file_key = entry.file_key
                and (unreadable.types && own.types) is not true
        )
        -- An entry that was imported on demand may be newer than the dump, and therefore missing in the dump.
        or entry.changed_date >= night.dump_date
        -- CEIDG returns an entry with a future start date on demand, but lists it in dumps only from that date on.
        or entry.start_date > night.dump_date
    ) as waits
from absent
cross join stage.night
join registry.entry using (company_id, entry_id)
cross join lateral (
    -- The subqueries on unreadable_number do not depend on the entry, so that Postgres keeps each of them in a hash
    -- table. Phones are compared too, since a number in a damaged record may be the entry's phone.
    select
        (
            entry.nip in (select number.number from stage.unreadable_number as number)
            or entry.regon9 in (select number.number from stage.unreadable_number as number)
            or entry.krs in (select number.number from stage.unreadable_number as number)
            or entry.entry_key in (select number.number from stage.unreadable_number as number)
            or entry.phone in (select number.number from stage.unreadable_number as number)
        ) is true as is_unreadable,
        array(
            select number.identifier_type from registry.entry_numbers(entry) as number
        ) as types
) as own;

analyze stage.vanished;
