-- Yesterday against today: which entries are new, changed, back or gone.

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

analyze stage.pair;

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
    and entry_key.source = night.source
    and not entry_key.is_gone
    and (night.is_full_read or entry_key.fingerprint is null);

analyze stage.absent;

-- One row per entry that no record of today speaks of. `waits`: a record that could not be read may
-- have been its own, so that nothing is said of it until the next clean dump.
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

-- The order of the activities says nothing: a record that differs in that alone says the same.
update stage.pair
set content_hash = pair.old_content_hash
from stage.entry as today
cross join registry.entry
where
    pair.old_content_hash <> pair.content_hash
    and today.file_no = pair.file_no
    and today.line = pair.line
    and entry.company_id = pair.company_id
    and entry.entry_id = pair.entry_id
    and entry.activity_codes @> today.activity_codes
    and entry.activity_codes <@ today.activity_codes
    and pair.old_content_hash = registry.content_hash(
        today.nip, today.regon9, today.krs, today.entity_type, today.legal_form, today.name,
        today.surname, today.first_name, today.phone, today.email, today.fax, today.website,
        today.postal_code, today.county, today.commune, today.city, today.street, today.building,
        today.apartment, today.voivodeship, today.activity_version, today.activity_main,
        entry.activity_codes, today.declared_status, today.is_partnership_only, today.start_date,
        today.end_date, today.suspension_date, today.resumption_date
    );

-- One row per known entry that says something else than yesterday, or is back: both versions whole.
create unlogged table stage.change as
select
    pair.was_gone,
    pair.old_content_hash,
    pair.content_hash,
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
    (change.old).entry_id,
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
