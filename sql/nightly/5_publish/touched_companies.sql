-- Updates registry.company for each company that the night touched: one with an entry that changed or
-- went, or a linked one. new_companies.sql has inserted the new companies of one entry.

insert into registry.company
select company_row.*
from registry.company_row
where
    company_row.company_id = any(
        array(
            select coalesce(merged_company.into_company_id, touched.company_id)
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
        )
    )
on conflict (company_id) do update
set
    changed_snapshot_no = excluded.changed_snapshot_no,
    activity_start = excluded.activity_start,
    country_code = excluded.country_code,
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
