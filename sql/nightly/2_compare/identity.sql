-- Compares yesterday with today: which entries continue under another key.

-- One row per known entry whose key may have changed, and per new key (is_new).
create unlogged table stage.unmatched as
select
    false as is_new,
    null::integer as file_no,
    null::bigint as line,
    vanished.company_id,
    vanished.entry_id,
    vanished.entry_key,
    vanished.content_hash,
    vanished.nip,
    vanished.regon9,
    vanished.krs,
    vanished.entity_type,
    vanished.surname,
    vanished.first_name,
    vanished.name,
    vanished.start_date
from stage.vanished
where not vanished.is_unreadable;

-- In a delta, few entries vanish: only those on its list of deletions. Here an entry has also ended
-- when its record of today has a first end date or strike-off date.
do $$
begin
    if (select night.dump_kind = 'delta' from stage.night) then
        insert into stage.unmatched
        select
            false,
            null,
            null,
            before.company_id,
            before.entry_id,
            before.entry_key,
            pair.old_content_hash,
            before.nip,
            before.regon9,
            before.krs,
            before.entity_type,
            before.surname,
            before.first_name,
            before.name,
            before.start_date
        from stage.pair
        join stage.entry using (file_no, line)
        join registry.entry as before
            on before.company_id = pair.company_id
            and before.entry_id = pair.entry_id
        where
            not pair.was_gone
            and (
                before.struck_off_date is null and entry.struck_off_date is not null
                or before.end_date is null and entry.end_date is not null
            );
    end if;
end;
$$;

-- New keys matter only when the key of a known entry may have changed.
insert into stage.unmatched
select
    true,
    entry.file_no,
    entry.line,
    null,
    null,
    entry.entry_key,
    entry.content_hash,
    entry.nip,
    entry.regon9,
    entry.krs,
    entry.entity_type,
    entry.surname,
    entry.first_name,
    entry.name,
    entry.start_date
from stage.entry
where
    exists (select from stage.unmatched)
    and entry.reason is null
    and entry.gone_date is null
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    );

analyze stage.unmatched;

-- Matches ended keys with new keys, one to one: a match is one entry with a changed identity. The
-- strongest likeness comes first; equal candidates are matched in the order of their names.
-- 1: NIP and name. 2: NIP. 3: REGON. 4: KRS number.
-- 5: in a delta, the REGON, when a natural person became a legal person or the other way round.
-- 6: in a full dump, the names and the start date, when one of the two keys has no number at all.
do $$
declare
    likeness integer;
begin
    for likeness in 1..6 loop
        exit when not exists (select from stage.unmatched where unmatched.is_new);
        with described as (
            select
                unmatched.*,
                coalesce(unmatched.nip, unmatched.regon9, unmatched.krs) is null as has_no_number,
                night.dump_kind = 'full' as is_full,
                -- In a source of deltas, the key of an entry is its number and its kind, such as the
                -- activity of a person.
                case
                    when night.dump_kind = 'delta' then replace(
                        replace(unmatched.entry_key, coalesce(unmatched.regon9, ''), ''),
                        coalesce(unmatched.krs, ''),
                        ''
                    )
                    else ''
                end as kind,
                -- A new key has its own type here, a known key the opposite type: they meet.
                case
                    when unmatched.is_new then unmatched.entity_type
                    when unmatched.entity_type = 'LEGAL' then 'NATURAL'
                    else 'LEGAL'
                end as other_type
            from stage.unmatched
            cross join stage.night
        ),

        trait as (
            select
                described.*,
                trait.value,
                row_number() over (
                    partition by described.is_new, trait.value
                    order by described.name, described.entry_key
                ) as rank
            from described
            cross join lateral (
                select case likeness
                    when 1 then described.kind || '|' || described.nip || '|' || described.name
                    when 2 then described.kind || '|' || described.nip
                    when 3 then described.kind || '|' || described.regon9
                    when 4 then described.kind || '|' || described.krs
                    when 5 then case
                        when not described.is_full
                            then described.regon9 || '|' || described.other_type
                    end
                    when 6 then case
                        when described.is_full then concat_ws(
                            '|',
                            coalesce(described.surname, ''),
                            coalesce(described.first_name, ''),
                            coalesce(described.name, ''),
                            coalesce(described.start_date::text, '')
                        )
                    end
                end as value
            ) as trait
            where trait.value is not null
        )

        insert into stage.pair (
            file_no, line, entry_key, content_hash, entry_id, company_id, old_entry_key,
            old_content_hash, was_gone, is_gone
        )
        select
            appeared.file_no,
            appeared.line,
            appeared.entry_key,
            appeared.content_hash,
            departed.entry_id,
            departed.company_id,
            departed.entry_key,
            departed.content_hash,
            false,
            false
        from trait as appeared
        join trait as departed using (value, rank)
        where
            appeared.is_new
            and not departed.is_new
            and (likeness < 6 or appeared.has_no_number or departed.has_no_number);
        continue when not found;
        delete from stage.unmatched
        using stage.pair
        where
            unmatched.is_new
            and pair.old_entry_key <> pair.entry_key
            and pair.file_no = unmatched.file_no
            and pair.line = unmatched.line;
        delete from stage.unmatched
        using stage.pair
        where
            not unmatched.is_new
            and pair.old_entry_key <> pair.entry_key
            and pair.entry_id = unmatched.entry_id;
    end loop;
end;
$$;

delete from stage.vanished
where exists (
    select from stage.pair where pair.entry_id = vanished.entry_id
);

-- In a delta, the record that ended the old key stays. Without its pair it becomes a new entry, struck
-- off.
do $$
begin
    if (select night.dump_kind = 'delta' from stage.night) then
        delete from stage.pair
        where
            pair.old_entry_key = pair.entry_key
            and exists (
                select from stage.pair as moved
                where
                    moved.entry_id = pair.entry_id
                    and moved.old_entry_key <> moved.entry_key
            );
    end if;
end;
$$;
