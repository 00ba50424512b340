-- The facts become today's. Runs in the transaction that publishes.

-- New entries; those of a source's first snapshot have come by attaching its partitions.
insert into registry.entry
select new_entry_row.*
from stage.new_entry_row
cross join stage.night
where not night.is_baseline;

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
    address_country_code = after.address_country_code,
    struck_off_date = after.struck_off_date,
    bankruptcy_start_date = after.bankruptcy_start_date,
    bankruptcy_end_date = after.bankruptcy_end_date,
    units = after.units,
    persons = after.persons,
    other_dates = after.other_dates,
    status = after.status,
    gone_date = after.gone_date,
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

-- By what the entries are recognised tomorrow. A key that moved is first taken out of the way, so
-- that two entries may change keys with each other, and a new one may take it.
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
    entry.fingerprint, entry.content_hash, entry.gone_date is not null
from stage.moved_key
join stage.pair using (entry_id)
join stage.entry using (file_no, line)
join stage.file using (file_no)
cross join stage.night;

insert into registry.entry_key
select new_entry_key_row.*
from stage.new_entry_key_row
cross join stage.night
where not night.is_baseline;

update registry.entry_key
set
    file_key = file.file_key,
    fingerprint = entry.fingerprint,
    content_hash = pair.content_hash,
    is_gone = pair.is_gone
from stage.pair
join stage.entry using (file_no, line)
join stage.file using (file_no)
cross join stage.night
where
    pair.entry_id is not null
    and entry_key.source = night.source
    and entry_key.entry_key = pair.entry_key
    and (entry_key.file_key, entry_key.fingerprint, entry_key.content_hash, entry_key.is_gone)
    is distinct from
    (file.file_key, entry.fingerprint, pair.content_hash, pair.is_gone);

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
