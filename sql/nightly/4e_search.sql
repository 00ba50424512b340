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

-- The entry that is active, else suspended; of several the one that started last.
insert into registry.company (
    company_id, country_code, nip, regon9, krs, name, status, legal_form, voivodeship, city,
    postal_code, activity_main, activity_start
)
select distinct on (entry.company_id)
    entry.company_id, entry.country_code, entry.nip, entry.regon9, entry.krs,
    coalesce(entry.name, nullif(concat_ws(' ', entry.first_name, entry.surname), '')),
    entry.status, entry.legal_form, entry.voivodeship, entry.city, entry.postal_code,
    entry.activity_main, entry.start_date
from registry.entry
join stage.touched_company using (company_id)
order by
    entry.company_id,
    case entry.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
    entry.start_date desc nulls last,
    entry.entry_id
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
