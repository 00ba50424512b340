-- Yesterday against today: which entries go on under another key.

-- One row per known entry that may have become another key.
create unlogged table stage.departed as
select
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

-- From a delta nothing vanishes: there it is what a record of today says is over.
do $$
begin
    if (select night.dump_kind = 'delta' from stage.night) then
        insert into stage.departed
        select
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
    entry.entity_type,
    entry.surname,
    entry.first_name,
    entry.name,
    entry.start_date
from stage.entry
where
    exists (select from stage.departed)
    and entry.reason is null
    and entry.gone_date is null
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    );

analyze stage.departed;
analyze stage.appeared;

-- One row per entry and key that are still to be matched. kind: of the sources whose dumps are deltas
-- an entry is of one kind, such as the activity of a person, which its key holds beside its number.
create unlogged table stage.unmatched as
select
    unmatched.*,
    coalesce(unmatched.nip, unmatched.regon9, unmatched.krs) is null as has_no_number,
    night.dump_kind = 'full' as is_full,
    case
        when night.dump_kind = 'delta' then replace(
            replace(unmatched.entry_key, coalesce(unmatched.regon9, ''), ''),
            coalesce(unmatched.krs, ''),
            ''
        )
        else ''
    end as kind,
    -- Of an entry of today what it is, of a known one what it would be as the other kind of person.
    case
        when unmatched.is_new then unmatched.entity_type
        when unmatched.entity_type = 'LEGAL' then 'NATURAL'
        else 'LEGAL'
    end as other_type
from (
    select
        true as is_new,
        null::bigint as company_id,
        null::bigint as entry_id,
        appeared.*
    from stage.appeared
    union all
    select
        false,
        departed.company_id,
        departed.entry_id,
        null,
        null,
        departed.entry_key,
        departed.content_hash,
        departed.nip,
        departed.regon9,
        departed.krs,
        departed.entity_type,
        departed.surname,
        departed.first_name,
        departed.name,
        departed.start_date
    from stage.departed
) as unmatched
cross join stage.night;

analyze stage.unmatched;

-- A key that is over and one that appeared are one entry with a changed identity where they share
-- a number; the clearest likeness first, one to one, in the order of their names. Where one of the
-- two has no number at all, the names and the start date are what it is known by. A number that was a
-- natural person's and is a legal one's, or the other way round, goes on as an entry of another kind.
do $$
declare
    likeness integer;
begin
    for likeness in 1..6 loop
        exit when not exists (select from stage.appeared);
        with trait as (
            select
                unmatched.*,
                trait.value,
                row_number() over (
                    partition by unmatched.is_new, trait.value
                    order by unmatched.name, unmatched.entry_key
                ) as rank
            from stage.unmatched
            cross join lateral (
                select case likeness
                    when 1 then unmatched.kind || '|' || unmatched.nip || '|' || unmatched.name
                    when 2 then unmatched.kind || '|' || unmatched.nip
                    when 3 then unmatched.kind || '|' || unmatched.regon9
                    when 4 then unmatched.kind || '|' || unmatched.krs
                    when 5 then case
                        when not unmatched.is_full
                            then unmatched.regon9 || '|' || unmatched.other_type
                    end
                    when 6 then case
                        when unmatched.is_full then concat_ws(
                            '|',
                            coalesce(unmatched.surname, ''),
                            coalesce(unmatched.first_name, ''),
                            coalesce(unmatched.name, ''),
                            coalesce(unmatched.start_date::text, '')
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

-- The record that said that it is over speaks of an entry of its own: the old key, struck off.
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
