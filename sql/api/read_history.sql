-- Returns one row for a known company: a page of its events that the filter $5 selects, their total count, and the
-- newest published day of each registry of the country. The page skips the newest $4 events and has the next $3 events.
-- The number $2 of the type $1 names the company; where $1 is null, $2 is the company's reference. The primary key of
-- `registry.event` finds the events of one company, so the query takes no longer in a larger registry.
with named as materialized (
    select registry.find_company($1, $2) as company_id
),

found as materialized (
    select
        event.event_id as id, event.event_type, event.old_value, event.new_value, event.event_date,
        event_type.severity, event_type.event_class, event_type.category, event.source,
        (select company.country_code from registry.company where company.company_id = named.company_id)
    from named
    cross join registry.feed_filter($5::jsonb) as asked
    cross join lateral registry.selected_company(
        named.company_id, asked.countries, asked.regions, asked.legal_forms, asked.activities
    ) as selected
    join registry.event on event.company_id = selected.company_id
    join registry.event_type on event_type.event_type = event.event_type
    where
        (asked.types is null or event.event_type = any(asked.types))
        and event.event_date between asked.from_date and asked.to_date
        and (asked.sources is null or event.source = any(asked.sources))
)

select
    (select count(*)::int from found) as total,
    (
        select coalesce(json_agg(page), '[]')
        from (
            select found.*
            from found
            order by found.event_date desc, found.id desc
            limit $3::bigint offset $4::bigint
        ) as page
    ) as events,
    registry.published_days(array[company.country_code]) as published,
    registry.primary_identifier(company),
    registry.identifier_type(company),
    company.company_id as company_ref, company.name as company_name,
    company.status as company_status, company.country_code
from registry.company
where company.company_id = (select named.company_id from named)
