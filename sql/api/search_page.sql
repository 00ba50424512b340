-- The companies of a page, each with the contacts of its entries, and the balance of the account. Active
-- entries come first, then the latest start. An unknown text is an empty string, an unknown date null.
-- $1: ids of companies; $2: the snapshot of the search, which gives no rows when it is not the newest;
-- $3: the account.
with page as materialized (
    select
        company.company_id,
        company.nip,
        company.regon9,
        company.krs,
        coalesce(company.name, '') as name,
        coalesce(company.city, '') as city,
        coalesce(registry.voivodeship_name(company.voivodeship), '') as voivodeship,
        company.activity_start,
        coalesce(company.activity_main, '') as activity_main,
        company.status,
        entry.phone,
        entry.email,
        entry.fax,
        row_number() over (
            order by
                company.company_id,
                case entry.status when 'ACTIVE' then 1 when 'SUSPENDED' then 2 else 3 end,
                entry.start_date desc nulls last,
                entry.entry_id
        ) as place
    from registry.last_id as newest
    join registry.company as company on company.company_id = any($1::bigint[])
    left join registry.entry as entry
        on entry.company_id = company.company_id
        and (entry.status <> 'DELETED' or company.status = 'DELETED')
    where newest.table_name = 'snapshot' and newest.last_id = $2::bigint
)

select
    newest.last_id as snapshot_no,
    (select json_agg(page order by page.place) from page) as rows,
    (
        select wallet.balance
        from customer.wallet as wallet
        where wallet.account_id = $3::bigint
    ) as balance
from registry.last_id as newest
where newest.table_name = 'snapshot'
