-- Yesterday against today: what the entries that are still there say differently.

-- One row per known entry that may say something else today: what it said yesterday, …
create unlogged table stage.before as
select entry.*
from stage.pair
join registry.entry using (company_id, entry_id)
where
    pair.was_gone <> pair.is_gone
    or pair.old_entry_key <> pair.entry_key
    or pair.old_content_hash <> pair.content_hash;

analyze stage.before (company_id, entry_id);

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

analyze stage.after (company_id, entry_id, file_no, line);

-- The order of the activities says nothing: a record that differs in that alone says the same.
update stage.pair
set content_hash = pair.old_content_hash
from stage.before
join stage.after using (entry_id)
where
    pair.entry_id = before.entry_id
    and before.activity_codes <> after.activity_codes
    and before.activity_codes @> after.activity_codes
    and before.activity_codes <@ after.activity_codes
    and pair.old_content_hash = registry.content_hash(
        after.nip, after.regon9, after.krs, after.entity_type, after.legal_form, after.name,
        after.surname, after.first_name, after.phone, after.email, after.fax, after.website,
        after.postal_code, after.county, after.commune, after.city, after.street, after.building,
        after.apartment, after.voivodeship, after.activity_version, after.activity_main,
        before.activity_codes, after.declared_status, after.is_partnership_only,
        after.start_date, after.end_date, after.suspension_date, after.resumption_date,
        after.address_country_code, after.struck_off_date, after.bankruptcy_start_date,
        after.bankruptcy_end_date, after.units, after.persons, after.other_dates
    );

-- One row per known entry that says something else than yesterday, is back or is struck off.
create unlogged table stage.change as
select
    pair.company_id,
    pair.entry_id,
    pair.was_gone,
    pair.is_gone,
    pair.old_content_hash,
    pair.content_hash
from stage.pair
where
    pair.was_gone <> pair.is_gone
    or pair.old_entry_key <> pair.entry_key
    or pair.old_content_hash <> pair.content_hash;

analyze stage.change;

delete from stage.after
where not exists (
    select from stage.change
    where change.entry_id = after.entry_id
);
