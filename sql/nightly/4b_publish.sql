-- The facts become today's. Runs in the transaction that publishes.

-- The very first snapshot fills empty tables: their indexes are made afterwards, all at once, which
-- is several times faster; and what is written to a table that was truncated in the same transaction
-- needs no WAL where the server keeps a minimal one.
create temporary table postponed_index on commit drop as
select
    pg_index.indrelid::regclass as table_name,
    pg_index.indexrelid::regclass as index_name,
    pg_constraint.conname as constraint_name,
    case
        when pg_constraint.oid is null then pg_get_indexdef(pg_index.indexrelid)
        else format(
            'alter table %s add constraint %I %s',
            pg_index.indrelid::regclass,
            pg_constraint.conname,
            pg_get_constraintdef(pg_constraint.oid)
        )
    end as definition
from pg_index
left join pg_constraint
    on pg_constraint.conindid = pg_index.indexrelid
    and pg_constraint.contype in ('p', 'u')
where
    pg_index.indrelid in (
        'registry.entry'::regclass,
        'registry.entry_key'::regclass,
        'registry.company'::regclass
    )
    -- Partial indexes hold few rows.
    and pg_index.indpred is null
    and not exists (select from registry.entry);

do $$
declare
    postponed record;
begin
    if not exists (select from postponed_index) then
        return;
    end if;
    truncate registry.entry, registry.entry_key, registry.company;
    for postponed in select * from postponed_index loop
        if postponed.constraint_name is null then
            execute format('drop index %s', postponed.index_name);
        else
            execute format(
                'alter table %s drop constraint %I',
                postponed.table_name,
                postponed.constraint_name
            );
        end if;
    end loop;
end;
$$;

insert into registry.entry (
    company_id, entry_id, source, entry_key, country_code, nip, regon9, krs, entity_type,
    legal_form, name, surname, first_name, phone, email, fax, website, postal_code, county,
    commune, city, street, building, apartment, voivodeship, activity_version, activity_main,
    activity_codes, declared_status, is_partnership_only, start_date, end_date, suspension_date,
    resumption_date, status, gone_date, changed_date
)
select
    new_entry.company_id, new_entry.entry_id, night.source, new_entry.entry_key,
    night.country_code, new_entry.nip, new_entry.regon9, new_entry.krs, new_entry.entity_type,
    new_entry.legal_form, new_entry.name, new_entry.surname, new_entry.first_name,
    new_entry.phone, new_entry.email, new_entry.fax, new_entry.website, new_entry.postal_code,
    new_entry.county, new_entry.commune, new_entry.city, new_entry.street, new_entry.building,
    new_entry.apartment, new_entry.voivodeship, new_entry.activity_version,
    new_entry.activity_main, new_entry.activity_codes, new_entry.declared_status,
    new_entry.is_partnership_only, new_entry.start_date, new_entry.end_date,
    new_entry.suspension_date, new_entry.resumption_date, new_entry.status, null,
    night.dump_date
from stage.new_entry
cross join stage.night;

insert into registry.entry_key (
    source, entry_key, entry_id, company_id, file_key, fingerprint, content_hash, is_gone
)
select
    night.source, new_entry.entry_key, new_entry.entry_id, new_entry.company_id,
    new_entry.file_key, new_entry.fingerprint, new_entry.content_hash, false
from stage.new_entry
cross join stage.night;

update registry.entry
set
    entry_key = after.entry_key,
    nip = after.nip,
    regon9 = after.regon9,
    krs = after.krs,
    entity_type = after.entity_type,
    legal_form = after.legal_form,
    name = after.name,
    surname = after.surname,
    first_name = after.first_name,
    phone = after.phone,
    email = after.email,
    fax = after.fax,
    website = after.website,
    postal_code = after.postal_code,
    county = after.county,
    commune = after.commune,
    city = after.city,
    street = after.street,
    building = after.building,
    apartment = after.apartment,
    voivodeship = after.voivodeship,
    activity_version = after.activity_version,
    activity_main = after.activity_main,
    activity_codes = after.activity_codes,
    declared_status = after.declared_status,
    is_partnership_only = after.is_partnership_only,
    start_date = after.start_date,
    end_date = after.end_date,
    suspension_date = after.suspension_date,
    resumption_date = after.resumption_date,
    status = after.status,
    gone_date = null,
    changed_date = night.dump_date
from stage.after
cross join stage.night
where
    entry.company_id = after.company_id
    and entry.entry_id = after.entry_id;

update registry.entry
set
    status = 'DELETED',
    gone_date = night.dump_date,
    changed_date = night.dump_date
from stage.vanished
cross join stage.night
where
    not vanished.waits
    and entry.company_id = vanished.company_id
    and entry.entry_id = vanished.entry_id;

-- Entries whose end, announced earlier, is reached: their rows did not change, their status does.
create unlogged table stage.due as
select
    entry.company_id,
    entry.entry_id
from registry.entry
join stage.night on night.source = entry.source
where
    entry.end_date <= night.dump_date
    and entry.status <> 'DELETED';

analyze stage.due;

update registry.entry
set status = 'DELETED'
from stage.due
where
    entry.company_id = due.company_id
    and entry.entry_id = due.entry_id;

-- By what the entries are recognised tomorrow. A key that moved is first taken out of the way, so
-- that two entries may change keys with each other.
create unlogged table stage.moved_key as
with moved as (
    delete from registry.entry_key
    using stage.pair
    cross join stage.night
    where
        entry_key.source = night.source
        and entry_key.entry_key = pair.old_entry_key
        and pair.old_entry_key <> pair.entry_key
    returning entry_key.entry_id, entry_key.company_id
)

select moved.entry_id, moved.company_id from moved;

analyze stage.moved_key;

insert into registry.entry_key (
    source, entry_key, entry_id, company_id, file_key, fingerprint, content_hash, is_gone
)
select
    night.source, entry.entry_key, moved_key.entry_id, moved_key.company_id, file.file_key,
    entry.fingerprint, entry.content_hash, false
from stage.moved_key
join stage.pair using (entry_id)
join stage.entry using (file_no, line)
join stage.file using (file_no)
cross join stage.night;

update registry.entry_key
set
    file_key = file.file_key,
    fingerprint = entry.fingerprint,
    content_hash = pair.content_hash,
    is_gone = false
from stage.pair
join stage.entry using (file_no, line)
join stage.file using (file_no)
cross join stage.night
where
    pair.entry_id is not null
    and entry_key.source = night.source
    and entry_key.entry_key = pair.entry_key
    and (entry_key.file_key, entry_key.fingerprint, entry_key.content_hash, entry_key.is_gone)
    is distinct from (file.file_key, entry.fingerprint, pair.content_hash, false);

update registry.entry_key
set
    fingerprint = null,
    is_gone = true
from stage.vanished
cross join stage.night
where
    not vanished.waits
    and entry_key.source = night.source
    and entry_key.entry_key = vanished.entry_key;

-- An entry whose rows contradict each other is read again until they agree.
update registry.entry_key
set fingerprint = null
from stage.reject
cross join stage.night
where
    not reject.is_repeat
    and entry_key.source = night.source
    and entry_key.entry_key = reject.entry_key
    and entry_key.fingerprint is not null;
