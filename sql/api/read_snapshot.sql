-- One row per number of the lists $1 of types and $2 of values, in their order: the registry entries of
-- its company as JSON, null for an unknown number, each with its place in a dump. The type is null for a
-- company that its reference names. Active entries come first, then the latest start.
with asked as materialized (
    select
        asked.place,
        case
            when asked.type is null then registry.current_company(asked.value)
            else registry.find_company(asked.type, asked.value)
        end as company_id
    from unnest($1::text[], $2::text[]) with ordinality as asked (type, value, place)
)

select found.entries
from asked
cross join lateral (
    select json_agg(
        shown || jsonb_build_object('identifiers', registry.shown_numbers(entry))
        order by
            case entry.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
            entry.start_date desc nulls last,
            entry.entry_id
    ) as entries
    from registry.entry
    cross join lateral registry.show_entry(entry) as shown
    where entry.company_id = asked.company_id
) as found
order by asked.place
