-- Returns one row: the companies with the ids $1 as JSON, in the order of the ids, and the number of the newest
-- snapshot. `is_changed` states whether one of these companies may have changed since the snapshot $2, because the
-- company's `changed_snapshot_no` belongs to a later publication. `entries` lists the contacts of a company's entries,
-- by status, then the latest start first. An unknown text is an empty string, and an unknown date is null.
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
                registry.shown_numbers(company) as identifiers,
                company.company_id::text as company_ref,
                coalesce(company.name, '') as name,
                coalesce(company.city, '') as city,
                coalesce(registry.region_name(company.country_code, company.voivodeship), '') as voivodeship,
                company.activity_start,
                coalesce(company.activity_main, '') as activity_main,
                company.status,
                array(
                    select json_build_object('phone', entry.phone, 'email', entry.email, 'fax', entry.fax)
                    from registry.entry
                    where
                        entry.company_id = company.company_id
                        and (entry.status <> 'DELETED' or company.status = 'DELETED')
                    order by entry.status, entry.start_date desc nulls last, entry.entry_id
                ) as entries
            from unnest($1::bigint[]) with ordinality as listed (company_id, place)
            join registry.company using (company_id)
            order by listed.place
        ) as item
    ) as items
from registry.last_id
where last_id.table_name = 'snapshot'
