-- Yesterday against today: which entries are new, changed, back or gone.

-- One row per accepted record, and the entry it speaks of; no entry: a new one.
create unlogged table stage.pair as
select
    row_number() over (order by entry.file_no, entry.line) as pair_no,
    entry.file_no,
    entry.line,
    entry.entry_key,
    entry.content_hash,
    entry_key.entry_id,
    entry_key.company_id,
    entry_key.entry_key as old_entry_key,
    entry_key.content_hash as old_content_hash,
    coalesce(entry_key.is_gone, false) as was_gone
from stage.entry
cross join stage.night
left join registry.entry_key
    on entry_key.source = night.source
    and entry_key.entry_key = entry.entry_key
where entry.reason is null;

analyze stage.pair;

-- One row per entry of a full dump that no record of today speaks of. `waits`: a record that could
-- not be read may have been its own, so that nothing is said of it until the next clean dump.
create unlogged table stage.vanished as
with absent as (
    select
        entry_key.company_id,
        entry_key.entry_id,
        entry_key.entry_key,
        entry_key.file_key,
        entry_key.content_hash
    from registry.entry_key
    cross join stage.night
    left join stage.unmet on unmet.fingerprint = entry_key.fingerprint
    where
        night.dump_kind = 'full'
        and entry_key.source = night.source
        and not entry_key.is_gone
        and (
            night.is_full_read
            or entry_key.fingerprint is null
            or unmet.fingerprint is not null
        )
        and not exists (
            -- A rejected record counts, where its key could be read.
            select from stage.entry
            where entry.entry_key = entry_key.entry_key
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
    (
        absent.file_key in (select unreadable_file.file_key from unreadable_file)
        or entry.nip in (select unreadable_number.number from unreadable_number)
        or entry.regon9 in (select unreadable_number.number from unreadable_number)
        or entry.krs in (select unreadable_number.number from unreadable_number)
    ) is true as waits
from absent
join registry.entry
    on entry.company_id = absent.company_id
    and entry.entry_id = absent.entry_id;

analyze stage.vanished;

-- A key that vanished and one that appeared are one entry with a changed identity where they share
-- a number; the clearest likeness first, one to one, in the order of their names. Where one of the
-- two has no number at all, the names and the start date are what it is known by.
do $$
declare
    likeness integer;
begin
    if not exists (select from stage.vanished) then
        return;
    end if;
    for likeness in 1..5 loop
        with vanished_trait as (
            select
                vanished.entry_id,
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
                and not exists (
                    select from stage.pair where pair.entry_id = vanished.entry_id
                )
        ),

        appeared_trait as (
            select
                pair.pair_no,
                trait.value,
                coalesce(entry.nip, entry.regon9, entry.krs) is null as has_no_number,
                row_number() over (
                    partition by trait.value order by entry.name, pair.entry_key
                ) as rank
            from stage.pair
            join stage.entry using (file_no, line)
            cross join lateral (
                select case likeness
                    when 1 then entry.nip || '|' || entry.name
                    when 2 then entry.nip
                    when 3 then entry.regon9
                    when 4 then entry.krs
                    when 5 then concat_ws(
                        '|',
                        coalesce(entry.surname, ''),
                        coalesce(entry.first_name, ''),
                        coalesce(entry.name, ''),
                        coalesce(entry.start_date::text, '')
                    )
                end as value
            ) as trait
            where
                trait.value is not null
                and pair.entry_id is null
        )

        update stage.pair
        set
            entry_id = vanished.entry_id,
            company_id = vanished.company_id,
            old_entry_key = vanished.entry_key,
            old_content_hash = vanished.content_hash
        from appeared_trait
        join vanished_trait using (value, rank)
        join stage.vanished on vanished.entry_id = vanished_trait.entry_id
        where
            pair.pair_no = appeared_trait.pair_no
            and (
                likeness < 5
                or appeared_trait.has_no_number
                or coalesce(vanished.nip, vanished.regon9, vanished.krs) is null
            );
    end loop;
end;
$$;

delete from stage.vanished
where exists (
    select from stage.pair where pair.entry_id = vanished.entry_id
);

-- One row per known entry that says something else than yesterday, or is back: both versions whole.
create unlogged table stage.change as
select
    pair.pair_no,
    pair.was_gone,
    pair.old_content_hash,
    entry as old,
    today as new
from stage.pair
join stage.entry as today using (file_no, line)
join registry.entry
    on entry.company_id = pair.company_id
    and entry.entry_id = pair.entry_id
where
    pair.was_gone
    or pair.old_entry_key <> pair.entry_key
    or pair.old_content_hash <> pair.content_hash;

analyze stage.change;

-- One row per changed entry and field: what the field lost or changed, for the guards.
create unlogged table stage.changed_field as
select
    change.pair_no,
    field.name as field,
    field.new_value is null as is_lost
from stage.change
cross join lateral (
    values
    ('nip', (change.old).nip, (change.new).nip),
    ('regon', (change.old).regon9, (change.new).regon9),
    ('krs', (change.old).krs, (change.new).krs),
    ('name', (change.old).name, (change.new).name),
    ('surname', (change.old).surname, (change.new).surname),
    ('first name', (change.old).first_name, (change.new).first_name),
    ('legal form', (change.old).legal_form, (change.new).legal_form),
    ('phone', (change.old).phone, (change.new).phone),
    ('email', (change.old).email, (change.new).email),
    ('fax', (change.old).fax, (change.new).fax),
    ('website', (change.old).website, (change.new).website),
    ('postal code', (change.old).postal_code, (change.new).postal_code),
    ('county', (change.old).county, (change.new).county),
    ('commune', (change.old).commune, (change.new).commune),
    ('city', (change.old).city, (change.new).city),
    ('street', (change.old).street, (change.new).street),
    ('building', (change.old).building, (change.new).building),
    ('apartment', (change.old).apartment, (change.new).apartment),
    ('voivodeship', (change.old).voivodeship, (change.new).voivodeship),
    (
        'activities',
        nullif((change.old).activity_codes, '{}')::text,
        nullif((change.new).activity_codes, '{}')::text
    ),
    ('main activity', (change.old).activity_main, (change.new).activity_main),
    ('status', (change.old).declared_status, (change.new).declared_status),
    ('start date', (change.old).start_date::text, (change.new).start_date::text),
    ('end date', (change.old).end_date::text, (change.new).end_date::text),
    (
        'suspension date',
        (change.old).suspension_date::text,
        (change.new).suspension_date::text
    ),
    (
        'resumption date',
        (change.old).resumption_date::text,
        (change.new).resumption_date::text
    )
) as field (name, old_value, new_value)
where
    field.old_value is distinct from field.new_value
    -- The recoding of a country's activities to a new version is no mass change.
    and (
        field.name not in ('activities', 'main activity')
        or field.new_value is null
        or (change.old).activity_version is not distinct from (change.new).activity_version
    );
