-- Returns one row of a known company, with the count of its events and the $3 events after the newest $4. The number
-- $2 of the type $1 names the company; with a null type, $2 is its reference. The primary key finds the events of one
-- company, however large the registry is.
select
    (
        select count(*)::int
        from registry.event
        where event.company_id = company.company_id
    ) as total,
    (
        select coalesce(json_agg(page), '[]')
        from (
            select
                event.event_id as id, event.event_type, event.old_value, event.new_value,
                event.event_date, event_type.severity
            from registry.event
            join registry.event_type on event_type.event_type = event.event_type
            where event.company_id = company.company_id
            order by event.event_date desc, event.event_id desc
            limit $3::bigint offset $4::bigint
        ) as page
    ) as events,
    registry.primary_identifier(company),
    registry.identifier_type(company),
    company.company_id as company_ref, company.name as company_name,
    company.status as company_status, company.country_code
from registry.company
where company.company_id = (select registry.find_company($1, $2))
