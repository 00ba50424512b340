-- Returns one row per number in the lists $1 (types) and $2 (values), in the order of the lists, with the number's
-- company. A null type means that the value is a company's reference (`company_ref`). The row of an unknown number has
-- nulls, and `[]` as identifiers. The name is empty if the owner of the company objects to being found in searches.
select
    company.company_id as company_ref,
    case when company.company_id is not null then coalesce(company.name, '') end as name,
    company.status,
    case when company.company_id is not null then registry.shown_numbers(company) else '[]' end as identifiers
from unnest($1::text[], $2::text[]) with ordinality as asked (type, value, place)
cross join lateral registry.find_company(asked.type, asked.value) as known (company_id)
left join registry.company on company.company_id = known.company_id
order by asked.place
