-- Returns one row per number, with the registry entries of the number's company as JSON, or null for an unknown number.
-- The lists $1 (types) and $2 (values) give the numbers in order. A null type means that the value is a company's
-- reference (`company_ref`). `provenance` names the dump, file and line in which the present content of an entry first
-- appeared. Active entries come first, then suspended entries; within a status, the entry that started last comes
-- first. The persons of all entries are sorted in api/companies/snapshot-view.ts.
with asked as materialized (
    select asked.place, registry.find_company(asked.type, asked.value) as company_id
    from unnest($1::text[], $2::text[]) with ordinality as asked (type, value, place)
)

-- Selects only the columns that a snapshot shows: converting the whole row to jsonb takes 40 % more time.
select found.entries
from asked
cross join lateral (
    select json_agg(
        shown
        order by
            case shown.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
            shown.start_date desc nulls last,
            shown.entry_id
    ) as entries
    from (
        select
            entry_id, source, country_code, entity_type, status, legal_form, name, surname,
            first_name, street, building, apartment, city, postal_code, voivodeship,
            address_country_code, phone, email, fax, e_delivery, website, activity_version,
            activity_main, activity_codes, start_date, suspension_date, resumption_date,
            bankruptcy_start_date, bankruptcy_end_date, restructuring_start_date,
            restructuring_end_date, end_date, struck_off_date, gone_date, other_dates, attributes,
            announced_activity, attributes -> 'unit_activities' as unit_activities,
            registry.shown_other_names(entry) as other_names,
            registry.shown_numbers(entry) as identifiers,
            part.*
        from registry.entry
        cross join lateral registry.show_parts(entry) as part
        where entry.company_id = asked.company_id
    ) as shown
) as found
order by asked.place
