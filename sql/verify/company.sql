-- The companies against their entries.
select format('entry %s belongs to no company', entry.entry_id) as finding
from registry.entry
left join registry.company
    on company.company_id = entry.company_id
    and company.merged_into_id is null
where entry.source = $1::text and company.company_id is null
union all
select format('the status of company %s is not that of its entries', company.company_id)
from registry.company
join (
    select
        entry.company_id,
        case
            when bool_or(entry.status = 'ACTIVE') then 'ACTIVE'
            when bool_or(entry.status = 'SUSPENDED') then 'SUSPENDED'
            else 'DELETED'
        end as status
    from registry.entry
    group by entry.company_id
) as found using (company_id)
where found.status <> company.status
limit 100;
