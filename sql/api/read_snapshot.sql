-- One row per number of a company: its place in the lists $1 of types and $2 of values, and the registry
-- entries of the company as JSON. Active entries come first, then the latest start.
with asked as materialized (
    select asked.place, registry.find_company(asked.type, asked.value) as company_id
    from unnest($1::text[], $2::text[]) with ordinality as asked (type, value, place)
)

select asked.place, found.entries
from asked
cross join lateral (
    select json_agg(
        entry
        order by
            case entry.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
            entry.start_date desc nulls last,
            entry.entry_id
    ) as entries
    from registry.entry as entry
    where entry.company_id = asked.company_id
) as found
where found.entries is not null
