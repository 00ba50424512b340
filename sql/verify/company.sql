-- Compares each company of a registry's entries with the fields that follow from all its entries.
with several as (
    -- Selects the companies with several entries: their fields are chosen from these entries.
    select entry.company_id
    from registry.entry
    group by entry.company_id
    having count(*) > 1 and bool_or(entry.source = $1::text)
),

compared as (
    select
        company,
        row(
            company.company_id, company.changed_snapshot_no, company.merged_into_id,
            entry.start_date, entry.country_code, entry.nip, entry.regon9, entry.krs,
            registry.listed_name(entry),
            entry.status, entry.legal_form, entry.voivodeship, entry.city, entry.postal_code,
            entry.activity_main,
            registry.naming_numbers(entry.country_code, entry.entry_key, entry.numbers)
        )::registry.company as expected
    from registry.entry
    join registry.company using (company_id)
    where entry.source = $1 and company_id not in (select several.company_id from several)
    union all
    select
        company,
        jsonb_populate_record(
            company, to_jsonb(company_row) - '{changed_snapshot_no, merged_into_id}'::text[]
        )
    from registry.company_row
    join registry.company using (company_id)
    where company_id = any(array(select several.company_id from several))
)

select format('entry %s belongs to no company', entry.entry_id) as finding
from registry.entry
left join registry.company
    on company.company_id = entry.company_id
    and company.merged_into_id is null
where entry.source = $1 and company.company_id is null
union all
select format('company %s does not show what its entries say', (compared.company).company_id)
from compared
where compared.company is distinct from compared.expected
limit 100;
