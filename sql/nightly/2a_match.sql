-- Yesterday against today: which records speak of which entries, and who is not there any more.

-- One row per accepted record that speaks of a known entry; the others are new.
create unlogged table stage.pair as
select
    entry.file_no,
    entry.line,
    entry.entry_key,
    entry.content_hash,
    entry_key.entry_id,
    entry_key.company_id,
    entry_key.entry_key as old_entry_key,
    entry_key.content_hash as old_content_hash,
    entry_key.is_gone as was_gone
from stage.entry
cross join stage.night
join registry.entry_key
    on entry_key.source = night.source
    and entry_key.entry_key = entry.entry_key
where entry.reason is null;

analyze stage.pair (file_no, line, entry_key, entry_id, company_id);

-- One row per entry of a full dump whose record of yesterday is not there today. Each way to be one
-- is a query of its own, so that none of them is a condition on every entry.
create unlogged table stage.absent as
select
    entry_key.company_id,
    entry_key.entry_id,
    entry_key.entry_key,
    entry_key.file_key,
    entry_key.content_hash
from registry.entry_key
join stage.unmet using (fingerprint)
cross join stage.night
where
    night.dump_kind = 'full'
    and not night.is_full_read
    and entry_key.source = night.source
union all
select
    entry_key.company_id,
    entry_key.entry_id,
    entry_key.entry_key,
    entry_key.file_key,
    entry_key.content_hash
from registry.entry_key
cross join stage.night
where
    night.dump_kind = 'full'
    and not night.is_full_read
    and entry_key.source = night.source
    and entry_key.fingerprint is null
    and not entry_key.is_gone
union all
select
    entry_key.company_id,
    entry_key.entry_id,
    entry_key.entry_key,
    entry_key.file_key,
    entry_key.content_hash
from registry.entry_key
cross join stage.night
where
    night.dump_kind = 'full'
    and night.is_full_read
    and entry_key.source = night.source
    and not entry_key.is_gone;

analyze stage.absent;

-- One row per entry that no record of today speaks of. `waits`: a record that could not be read may
-- have been its own, so that nothing is said of it until the next clean dump. `is_unreadable`: one
-- holds its number, so that whoever else shows this number is not the entry with a new identity.
create unlogged table stage.vanished as
with absent as (
    select absent.*
    from stage.absent
    where not exists (
        -- A rejected record counts, where its key could be read.
        select from stage.entry
        where entry.entry_key = absent.entry_key
    )
),

unreadable_file as (
    select distinct file.file_key
    from stage.reject
    join stage.file using (file_no)
    where not reject.is_repeat
),

unreadable_number as (
    -- The row may have moved to another file before it became unreadable.
    select distinct match.part[1] as number
    from stage.reject
    cross join lateral regexp_matches(reject.raw, '[0-9]{9,10}', 'g') as match (part)
    where not reject.is_repeat
)

select
    entry.company_id,
    entry.entry_id,
    absent.entry_key,
    absent.file_key,
    absent.content_hash,
    entry.nip,
    entry.regon9,
    entry.krs,
    entry.surname,
    entry.first_name,
    entry.name,
    entry.start_date,
    own.is_unreadable,
    own.is_unreadable
    or absent.file_key in (select unreadable_file.file_key from unreadable_file) as waits
from absent
join registry.entry
    on entry.company_id = absent.company_id
    and entry.entry_id = absent.entry_id
cross join lateral (
    select (
        entry.nip in (select unreadable_number.number from unreadable_number)
        or entry.regon9 in (select unreadable_number.number from unreadable_number)
        or entry.krs in (select unreadable_number.number from unreadable_number)
    ) is true as is_unreadable
) as own;

analyze stage.vanished;

-- One row per new key, where a known one may have become it.
create unlogged table stage.appeared as
select
    entry.file_no,
    entry.line,
    entry.entry_key,
    entry.content_hash,
    entry.nip,
    entry.regon9,
    entry.krs,
    entry.surname,
    entry.first_name,
    entry.name,
    entry.start_date
from stage.entry
where
    exists (select from stage.vanished)
    and entry.reason is null
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    );

analyze stage.appeared;

-- A key that vanished and one that appeared are one entry with a changed identity where they share
-- a number; the clearest likeness first, one to one, in the order of their names. Where one of the
-- two has no number at all, the names and the start date are what it is known by.
do $$
declare
    likeness integer;
begin
    for likeness in 1..5 loop
        exit when not exists (select from stage.appeared);
        with vanished_trait as (
            select
                vanished.entry_id,
                vanished.company_id,
                vanished.entry_key,
                vanished.content_hash,
                coalesce(vanished.nip, vanished.regon9, vanished.krs) is null as has_no_number,
                trait.value,
                row_number() over (
                    partition by trait.value order by vanished.name, vanished.entry_key
                ) as rank
            from stage.vanished
            cross join lateral (
                select case likeness
                    when 1 then vanished.nip || '|' || vanished.name
                    when 2 then vanished.nip
                    when 3 then vanished.regon9
                    when 4 then vanished.krs
                    when 5 then concat_ws(
                        '|',
                        coalesce(vanished.surname, ''),
                        coalesce(vanished.first_name, ''),
                        coalesce(vanished.name, ''),
                        coalesce(vanished.start_date::text, '')
                    )
                end as value
            ) as trait
            where
                trait.value is not null
                and not vanished.is_unreadable
                and not exists (
                    select from stage.pair where pair.entry_id = vanished.entry_id
                )
        ),

        appeared_trait as (
            select
                appeared.*,
                coalesce(appeared.nip, appeared.regon9, appeared.krs) is null as has_no_number,
                trait.value,
                row_number() over (
                    partition by trait.value order by appeared.name, appeared.entry_key
                ) as rank
            from stage.appeared
            cross join lateral (
                select case likeness
                    when 1 then appeared.nip || '|' || appeared.name
                    when 2 then appeared.nip
                    when 3 then appeared.regon9
                    when 4 then appeared.krs
                    when 5 then concat_ws(
                        '|',
                        coalesce(appeared.surname, ''),
                        coalesce(appeared.first_name, ''),
                        coalesce(appeared.name, ''),
                        coalesce(appeared.start_date::text, '')
                    )
                end as value
            ) as trait
            where
                trait.value is not null
                and not exists (
                    select from stage.pair
                    where pair.file_no = appeared.file_no and pair.line = appeared.line
                )
        )

        insert into stage.pair (
            file_no, line, entry_key, content_hash, entry_id, company_id, old_entry_key,
            old_content_hash, was_gone
        )
        select
            appeared_trait.file_no,
            appeared_trait.line,
            appeared_trait.entry_key,
            appeared_trait.content_hash,
            vanished_trait.entry_id,
            vanished_trait.company_id,
            vanished_trait.entry_key,
            vanished_trait.content_hash,
            false
        from appeared_trait
        join vanished_trait using (value, rank)
        where
            likeness < 5
            or appeared_trait.has_no_number
            or vanished_trait.has_no_number;
    end loop;
end;
$$;

delete from stage.vanished
where exists (
    select from stage.pair where pair.entry_id = vanished.entry_id
);
