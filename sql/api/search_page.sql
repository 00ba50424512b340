-- The companies of a page of search, each with the contacts of its entries, the one that search shows
-- first; and the balance of the account.
-- $1: ids of companies; $2: the snapshot in which they were found: without rows when it is not the
-- newest; $3: the account.
with newest as materialized (
    select last_id.last_id as snapshot_no
    from registry.last_id as last_id
    where last_id.table_name = 'snapshot'
),

page as materialized (
    select
        company.company_id,
        company.nip,
        company.regon9,
        company.krs,
        company.name,
        company.city,
        registry.voivodeship_name(company.voivodeship) as voivodeship,
        company.activity_start,
        company.activity_main,
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
    from newest
    join registry.company as company on company.company_id = any($1::bigint[])
    left join registry.entry as entry
        on entry.company_id = company.company_id
        and (entry.status <> 'DELETED' or company.status = 'DELETED')
    where newest.snapshot_no = $2::bigint
)

select
    newest.snapshot_no,
    (select json_agg(page order by page.place) from page) as rows,
    (
        select wallet.balance
        from customer.wallet as wallet
        where wallet.account_id = $3::bigint
    ) as balance
from newest
