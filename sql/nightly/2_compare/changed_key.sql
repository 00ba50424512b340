-- Compares yesterday with today: finds the entries that continue under a new key. A listed duplicate
-- (listed_duplicates.sql) continues under the key that replaces its own key, if that key is new.

-- Holds one row per known entry whose key may have changed, and one row per record with a new key. In the row of a
-- known entry, the first four columns, which describe a record of the dump, are null.
create unlogged table stage.unmatched as table stage.entry with no data;

insert into stage.unmatched
select null, null, null, null, entry.*
from stage.vanished
join registry.entry using (company_id, entry_id)
where not vanished.is_unreadable;

-- In a delta, stage.vanished has only the entries on the list of deletions. A known entry is therefore also added if
-- its record in a delta states an end date or a strike-off date for the first time. The pairs are joined to the records
-- first: in another order, each entry would scan all records, since the planner expects only one entry.
with latest as materialized (
    select pair.company_id, pair.entry_id, entry.struck_off_date, entry.end_date
    from stage.pair
    join stage.entry using (file_no, line)
    where
        (select night.dump_kind = 'delta' from stage.night)
        and coalesce(entry.struck_off_date, entry.end_date) is not null
)

insert into stage.unmatched
select null, null, null, null, before.*
from latest
join registry.entry as before using (company_id, entry_id)
where
    before.gone_date is null
    and (
        before.struck_off_date is null and latest.struck_off_date is not null
        or before.end_date is null and latest.end_date is not null
    );

-- Adds the records with new keys, but only if the key of a known entry may have changed.
insert into stage.unmatched
select new_record.*
from stage.new_record
where exists (select from stage.unmatched) and new_record.gone_date is null;

analyze stage.unmatched;

-- Matches keys that disappeared with new keys, one to one: the entry of a match has changed its key. Candidates that
-- are equally like an entry are matched in the order of their names. The loop tries eight kinds of likeness, the
-- strongest first: a list of duplicates names the new key as the successor of the known key (0), equal NIP and name
-- (1), equal NIP (2), equal REGON (3), equal KRS number (4), equal REGON in a delta if a natural person became a legal
-- person or vice versa (5), equal names and start date in a full dump if one of the two entries has no number (6),
-- equal hash of the key of an entry without a number, which finds a withdrawn entry (7).
do $$
declare
    likeness integer;
begin
    for likeness in 0..7 loop
        exit when not exists (select from stage.unmatched where unmatched.line is not null);
        with trait as (
            select
                unmatched.file_no, unmatched.line, unmatched.company_id, unmatched.entry_id,
                unmatched.line is not null as is_new,
                entry.has_no_number,
                trait.value,
                row_number() over (
                    partition by unmatched.line is not null, trait.value
                    order by unmatched.name collate "C", unmatched.entry_key collate "C"
                ) as rank
            from stage.unmatched
            cross join stage.night
            cross join lateral (
                -- In a source of deltas, a key is a number and the kind of entry, such as a person's activity.
                select case
                    when night.dump_kind = 'delta' then replace(
                        replace(unmatched.entry_key, coalesce(unmatched.regon9, ''), ''),
                        coalesce(unmatched.krs, ''),
                        ''
                    )
                    else ''
                end as kind,
                num_nonnulls(
                    unmatched.nip, unmatched.regon9, unmatched.krs,
                    registry.naming_numbers(
                        night.country_code, unmatched.entry_key, unmatched.numbers
                    )
                ) = 0 as has_no_number
            ) as entry
            cross join lateral (
                select case likeness
                    when 0 then case
                        when unmatched.line is not null then unmatched.entry_key
                        else (
                            select min(replaced.new_key)
                            from stage.replaced
                            where replaced.entry_id = unmatched.entry_id
                        )
                    end
                    when 1 then entry.kind || '|' || unmatched.nip || '|' || unmatched.name
                    when 2 then entry.kind || '|' || unmatched.nip
                    when 3 then entry.kind || '|' || unmatched.regon9
                    when 4 then entry.kind || '|' || unmatched.krs
                    when 5 then case
                        -- The test is reversed for known entries: a legal person matches only a natural person.
                        when night.dump_kind = 'delta' then unmatched.regon9 || '|' || (
                            (unmatched.entity_type = 'LEGAL') = (unmatched.line is not null)
                        )
                    end
                    when 6 then case
                        when night.dump_kind = 'full' and unmatched.withdrawn_until is null then concat_ws(
                            '|',
                            coalesce(unmatched.surname, ''),
                            coalesce(unmatched.first_name, ''),
                            coalesce(
                                registry.text_meaning(night.country_code, unmatched.name), ''
                            ),
                            coalesce(unmatched.start_date::text, '')
                        )
                    end
                    when 7 then (
                        select (person.hashes(secret.key, unmatched))[1]::text
                        from person.secret
                        where entry.has_no_number
                    )
                end as value
            ) as trait
            where trait.value is not null
        )

        insert into stage.pair (file_no, line, company_id, entry_id, has_new_key, is_changed)
        select
            appeared.file_no, appeared.line, departed.company_id, departed.entry_id,
            true,
            true
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
            pair.has_new_key
            and (pair.file_no, pair.line) = (unmatched.file_no, unmatched.line);
        delete from stage.unmatched
        using stage.pair
        where pair.has_new_key and pair.entry_id = unmatched.entry_id;
    end loop;
end;
$$;

delete from stage.vanished
where exists (
    select from stage.pair where pair.entry_id = vanished.entry_id
);

-- In a delta, deletes the pair of an entry and its old key's record if the entry is also paired with a new key's
-- record. The delta's record with the end of the old key becomes a new, struck-off entry of its own.
delete from stage.pair
using stage.pair as moved
where
    (select night.dump_kind = 'delta' from stage.night)
    and not pair.has_new_key
    and moved.has_new_key
    and moved.entry_id = pair.entry_id;
