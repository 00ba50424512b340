-- Returns one row per number in the lists $2 (types) and $3 (values), in the order of the lists, with the watch of the
-- account $1 on the number's company. A null type means that the value is a company's reference (`company_ref`).
select
    case
        when watch.watch_id is not null then 'removed'
        when known.company_id is not null then 'not_watched'
        else 'not_found'
    end as outcome,
    watch.watch_id,
    watch.company_id
from unnest($2::text[], $3::text[]) with ordinality as asked (type, value, item_no)
cross join lateral registry.find_company(asked.type, asked.value) as known (company_id)
left join lateral (
    select watch_id, company_id
    from customer.watch
    where account_id = $1 and company_id = known.company_id
    union all
    select watch_id, company_id
    from customer.watch
    where
        account_id = $1
        and identifier_type = asked.type
        and identifier_value = asked.value
        and company_id is null
    order by company_id nulls last
    limit 1
) as watch on true
order by asked.item_no
