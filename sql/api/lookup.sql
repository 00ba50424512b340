-- Returns one row per named company, in the order of the lists $1 of types and $2 of values; the value of a null type
-- is a company's reference. A row of nulls stands for an unknown company. As in lists, a company whose owner objects to
-- being found has no name.
select
    company.company_id as company_ref,
    case when company.company_id is not null then coalesce(company.name, '') end as name,
    company.status,
    case when company.company_id is not null then registry.shown_numbers(company) else '[]' end as identifiers
from unnest($1::text[], $2::text[]) with ordinality as asked (type, value, place)
cross join lateral registry.find_company(asked.type, asked.value) as known (company_id)
left join registry.company on company.company_id = known.company_id
order by asked.place
