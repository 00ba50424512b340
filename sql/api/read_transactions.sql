-- Returns one row for an account $1 with a wallet: a page of its wallet transactions as JSON, and their total count.
-- The page skips the newest $2 transactions and has the next $3 transactions. The transactions of a wallet are numbered
-- from 1 without gaps, so the highest number is their count, and a page is a range of numbers.
select
    wallet.last_transaction_no::float8 as total,
    (
        select coalesce(json_agg(page order by page.id desc), '[]')
        from (
            select
                transaction_no as id,
                type,
                amount || '.00' as amount,
                balance_after || '.00' as balance_after,
                description,
                to_char(
                    created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
                ) as created_at
            from customer.wallet_transaction
            where
                account_id = wallet.account_id
                and transaction_no <= wallet.last_transaction_no - $2::bigint
                and transaction_no > wallet.last_transaction_no - $2::bigint - $3::bigint
        ) as page
    ) as transactions
from customer.wallet
where wallet.account_id = $1
