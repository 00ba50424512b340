-- New companies of one entry show what that entry says: nearly all new companies. Runs in the
-- transaction that publishes.

insert into registry.company (
    company_id, changed_snapshot_no, activity_start, country_code, nip, regon9, krs, name, status,
    legal_form, voivodeship, city, postal_code, activity_main
)
select
    new_entry.company_id,
    (select registry.next_snapshot_no()),
    new_entry.start_date,
    new_entry.country_code,
    new_entry.nip,
    new_entry.regon9,
    new_entry.krs,
    registry.shown_name(new_entry.name, new_entry.first_name, new_entry.surname),
    new_entry.status,
    new_entry.legal_form,
    new_entry.voivodeship,
    new_entry.city,
    new_entry.postal_code,
    new_entry.activity_main
from stage.new_entry
where new_entry.entry_id not in (select component.node from stage.component);
