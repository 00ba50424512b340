-- Updates registry.company for each company that the night touched. new_companies.sql has inserted the
-- new companies of one entry. Runs in the transaction that publishes, after registry.entry is up to
-- date.

-- One row per company with an entry that changed or went, and per linked company.
create unlogged table stage.touched_company as
select coalesce(merged_company.into_company_id, touched.company_id) as company_id
from (
    select after.company_id from stage.after
    union
    select vanished.company_id from stage.vanished where not vanished.waits
    union
    select due.company_id from stage.due
    union
    select component.label from stage.component
) as touched
left join stage.merged_company using (company_id)
group by coalesce(merged_company.into_company_id, touched.company_id);

insert into registry.company as known (
    company_id, changed_snapshot_no, activity_start, country_code, nip, regon9, krs, name, status,
    legal_form, voivodeship, city, postal_code, activity_main
)
select
    company_row.company_id,
    (select registry.next_snapshot_no()),
    company_row.activity_start,
    company_row.country_code,
    company_row.nip,
    company_row.regon9,
    company_row.krs,
    company_row.name,
    company_row.status,
    company_row.legal_form,
    company_row.voivodeship,
    company_row.city,
    company_row.postal_code,
    company_row.activity_main
from registry.company_row
where
    company_row.company_id = any(
        array(select touched_company.company_id from stage.touched_company)
    )
on conflict (company_id) do update
set
    changed_snapshot_no = excluded.changed_snapshot_no,
    activity_start = excluded.activity_start,
    nip = excluded.nip,
    regon9 = excluded.regon9,
    krs = excluded.krs,
    name = excluded.name,
    status = excluded.status,
    legal_form = excluded.legal_form,
    voivodeship = excluded.voivodeship,
    city = excluded.city,
    postal_code = excluded.postal_code,
    activity_main = excluded.activity_main;
