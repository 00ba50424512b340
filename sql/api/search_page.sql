-- Returns one row: the companies with the ids $1 as JSON, and the number of the newest snapshot. `is_changed` states
-- whether one of the companies may have changed since snapshot $2: a later publication changed its number. Each company
-- has an item per entry, for the contacts: active entries first, then the latest start. An unknown text is an empty
-- string, an unknown date is null.
select
    last_id.last_id::float8 as snapshot_no,
    exists (
        select
        from registry.company
        where
            company.company_id = any($1::bigint[])
            and company.changed_snapshot_no
            >= (select min(change_no) from registry.publication where snapshot_no > $2::bigint)
    ) as is_changed,
    (
        select coalesce(json_agg(item), '[]')
        from (
            select
                company.company_id,
                registry.shown_numbers(company) as identifiers,
                coalesce(company.name, '') as name,
                coalesce(company.city, '') as city,
                coalesce(registry.region_name(company.country_code, company.voivodeship), '') as voivodeship,
                company.activity_start,
                coalesce(company.activity_main, '') as activity_main,
                company.status, entry.phone, entry.email, entry.fax
            from registry.company
            left join registry.entry
                on entry.company_id = company.company_id
                and (entry.status <> 'DELETED' or company.status = 'DELETED')
            where company.company_id = any($1::bigint[])
            order by
                company.company_id,
                entry.status,
                entry.start_date desc nulls last,
                entry.entry_id
        ) as item
    ) as items
from registry.last_id
where last_id.table_name = 'snapshot'
