-- Compares the companies of a registry's entries with all their entries.
with several as (
    -- Selects the companies of several entries, whose fields are chosen among the entries.
    select entry.company_id
    from registry.entry
    group by entry.company_id
    having count(*) > 1 and bool_or(entry.source = $1::text)
),

expected as (
    select
        entry.company_id,
        null::bigint as changed_snapshot_no,
        null::bigint as merged_into_id,
        entry.start_date as activity_start,
        entry.country_code,
        entry.nip,
        entry.regon9,
        entry.krs,
        registry.listed_name(entry.is_partial, entry.name, entry.first_name, entry.surname) as name,
        entry.status,
        entry.legal_form,
        entry.voivodeship,
        entry.city,
        entry.postal_code,
        entry.activity_main,
        registry.naming_numbers(entry.country_code, entry.entry_key, entry.numbers) as numbers
    from registry.entry
    where
        entry.source = $1
        and entry.company_id not in (select several.company_id from several)
    union all
    select company_row.*
    from registry.company_row
    where company_row.company_id = any(array(select several.company_id from several))
)

select format('entry %s belongs to no company', entry.entry_id) as finding
from registry.entry
left join registry.company
    on company.company_id = entry.company_id
    and company.merged_into_id is null
where entry.source = $1 and company.company_id is null
union all
select format('the status of company %s is not that of its entries', company.company_id)
from expected
join registry.company using (company_id)
where company.status <> expected.status
union all
select format('company %s does not show what its entries say', company.company_id)
from expected
join registry.company using (company_id)
where
    (
        company.activity_start, company.country_code, company.nip, company.regon9, company.krs,
        company.name, company.legal_form, company.voivodeship, company.city,
        company.postal_code, company.activity_main, company.numbers
    ) is distinct from (
        expected.activity_start, expected.country_code, expected.nip, expected.regon9,
        expected.krs, expected.name, expected.legal_form, expected.voivodeship, expected.city,
        expected.postal_code, expected.activity_main, expected.numbers
    )
limit 100;
