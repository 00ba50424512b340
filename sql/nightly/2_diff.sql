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

-- One row per known entry that may say something else today: what it said yesterday, …
create unlogged table stage.before as
select entry.*
from stage.pair
join registry.entry using (company_id, entry_id)
where
    pair.was_gone
    or pair.old_entry_key <> pair.entry_key
    or pair.old_content_hash <> pair.content_hash;

analyze stage.before;

-- … and what it says today.
create unlogged table stage.after as
select
    pair.company_id,
    pair.entry_id,
    entry.*
from stage.before
join stage.pair using (entry_id)
join stage.entry
    on entry.file_no = pair.file_no
    and entry.line = pair.line;

analyze stage.after;

-- The order of the activities says nothing: a record that differs in that alone says the same.
update stage.pair
set content_hash = pair.old_content_hash
from stage.before
join stage.after using (entry_id)
where
    pair.entry_id = before.entry_id
    and before.activity_codes @> after.activity_codes
    and before.activity_codes <@ after.activity_codes
    and pair.old_content_hash = registry.content_hash(
        after.nip, after.regon9, after.krs, after.entity_type, after.legal_form, after.name,
        after.surname, after.first_name, after.phone, after.email, after.fax, after.website,
        after.postal_code, after.county, after.commune, after.city, after.street, after.building,
        after.apartment, after.voivodeship, after.activity_version, after.activity_main,
        before.activity_codes, after.declared_status, after.is_partnership_only,
        after.start_date, after.end_date, after.suspension_date, after.resumption_date
    );

-- One row per known entry that says something else than yesterday, or is back.
create unlogged table stage.change as
select
    pair.company_id,
    pair.entry_id,
    pair.was_gone,
    pair.old_content_hash,
    pair.content_hash
from stage.pair
where
    pair.was_gone
    or pair.old_entry_key <> pair.entry_key
    or pair.old_content_hash <> pair.content_hash;

analyze stage.change;

delete from stage.after
where not exists (
    select from stage.change
    where change.entry_id = after.entry_id
);

-- One row per changed entry and field: what the field lost or changed, for the guards.
create unlogged table stage.changed_field as
select
    change.entry_id,
    field.name as field,
    field.new_value is null as is_lost
from stage.change
join stage.before using (entry_id)
join stage.after using (entry_id)
cross join lateral (
    values
    ('nip', before.nip, after.nip),
    ('regon', before.regon9, after.regon9),
    ('krs', before.krs, after.krs),
    ('name', before.name, after.name),
    ('surname', before.surname, after.surname),
    ('first name', before.first_name, after.first_name),
    ('legal form', before.legal_form, after.legal_form),
    ('phone', before.phone, after.phone),
    ('email', before.email, after.email),
    ('fax', before.fax, after.fax),
    ('website', before.website, after.website),
    ('postal code', before.postal_code, after.postal_code),
    ('county', before.county, after.county),
    ('commune', before.commune, after.commune),
    ('city', before.city, after.city),
    ('street', before.street, after.street),
    ('building', before.building, after.building),
    ('apartment', before.apartment, after.apartment),
    ('voivodeship', before.voivodeship, after.voivodeship),
    (
        'activities',
        nullif(before.activity_codes, '{}')::text,
        nullif(after.activity_codes, '{}')::text
    ),
    ('main activity', before.activity_main, after.activity_main),
    ('status', before.declared_status, after.declared_status),
    ('start date', before.start_date::text, after.start_date::text),
    ('end date', before.end_date::text, after.end_date::text),
    (
        'suspension date',
        before.suspension_date::text,
        after.suspension_date::text
    ),
    (
        'resumption date',
        before.resumption_date::text,
        after.resumption_date::text
    )
) as field (name, old_value, new_value)
where
    field.old_value is distinct from field.new_value
    -- The recoding of a country's activities to a new version is no mass change.
    and (
        field.name not in ('activities', 'main activity')
        or field.new_value is null
        or before.activity_version is not distinct from after.activity_version
    );
