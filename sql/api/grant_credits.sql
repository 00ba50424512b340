-- Adds $2 credits, $3 of which count as purchased, to the wallet of the account $1, and creates a missing wallet.
-- Writes a wallet transaction of the type $4 with the description $5 and the operation key $6, at the time $7.
with credited as (
    insert into customer.wallet as wallet (
        account_id, balance, total_purchased, last_transaction_no
    )
    values ($1::bigint, $2::bigint, $3::bigint, 1)
    on conflict (account_id) do update set
        balance = wallet.balance + excluded.balance,
        total_purchased = wallet.total_purchased + excluded.total_purchased,
        last_transaction_no = wallet.last_transaction_no + 1
    returning account_id, balance, last_transaction_no
)

insert into customer.wallet_transaction (
    account_id, transaction_no, type, amount, balance_before, balance_after, description,
    operation_key, created_at
)
select
    account_id, last_transaction_no, $4::text, $2::bigint, balance - $2::bigint, balance,
    $5::text, $6::text, $7::timestamptz
from credited
