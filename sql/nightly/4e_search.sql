-- The row that search shows of each company that the night touched.

-- One row per other company that the night touched.
create unlogged table stage.touched_company as
select linked.company_id from stage.linked
union
select coalesce(merged_company.into_company_id, change.company_id)
from stage.change
left join stage.merged_company using (company_id)
union
select coalesce(merged_company.into_company_id, vanished.company_id)
from stage.vanished
left join stage.merged_company using (company_id)
where not vanished.waits
union
select coalesce(merged_company.into_company_id, due.company_id)
from stage.due
left join stage.merged_company using (company_id)
union
select merged_company.into_company_id from stage.merged_company;

analyze stage.touched_company;

-- Which entry tells what, `registry.field_source` says.
insert into registry.company (
    company_id, country_code, nip, regon9, krs, name, status, legal_form, voivodeship, city,
    postal_code, activity_main, activity_start
)
select
    touched_company.company_id, shown.country_code, shown.nip, shown.regon9, shown.krs,
    shown.name, shown.status, shown.legal_form, shown.voivodeship, shown.city,
    shown.postal_code, shown.activity_main, shown.activity_start
from stage.touched_company
cross join lateral registry.show_company(touched_company.company_id) as shown
on conflict on constraint company_pkey do update
set
    nip = excluded.nip,
    regon9 = excluded.regon9,
    krs = excluded.krs,
    name = excluded.name,
    status = excluded.status,
    legal_form = excluded.legal_form,
    voivodeship = excluded.voivodeship,
    city = excluded.city,
    postal_code = excluded.postal_code,
    activity_main = excluded.activity_main,
    activity_start = excluded.activity_start;
