-- One row per withdrawal that its wallet can pay, with the balance after it. The withdrawals are the
-- lists $1 of accounts, $2 of amounts, $3 of descriptions, $4 of operation keys and $5 of times. The
-- withdrawals of an account are paid in their order, as far as its balance goes.
-- Wallets are locked in the order of their accounts, so that two processes cannot deadlock.
with asked as materialized (
    select *
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[])
        with ordinality as asked (account_id, amount, description, operation_key, created_at, place)
),

-- The lock waits for other movements, and then reads what they left.
locked as materialized (
    select wallet.account_id, wallet.balance, wallet.last_transaction_no
    from customer.wallet as wallet
    where wallet.account_id = any($1::bigint[])
    order by wallet.account_id
    for no key update
),

counted as (
    select
        asked.*,
        locked.balance - sum(asked.amount) over in_turn as balance_after,
        locked.last_transaction_no + row_number() over in_turn as transaction_no
    from asked
    join locked on locked.account_id = asked.account_id
    window in_turn as (partition by asked.account_id order by asked.place)
),

granted as materialized (
    select *
    from counted
    where counted.balance_after >= 0
),

charged as (
    update customer.wallet as wallet set
        balance = newest.balance_after,
        last_transaction_no = newest.transaction_no
    from (
        select
            granted.account_id,
            min(granted.balance_after) as balance_after,
            max(granted.transaction_no) as transaction_no
        from granted
        group by granted.account_id
    ) as newest
    where wallet.account_id = newest.account_id
)

insert into customer.wallet_transaction (
    account_id, transaction_no, type, amount, balance_before, balance_after, description,
    operation_key, created_at
)
select
    granted.account_id,
    granted.transaction_no,
    'withdraw',
    granted.amount,
    granted.balance_after + granted.amount,
    granted.balance_after,
    granted.description,
    granted.operation_key,
    granted.created_at
from granted
returning operation_key, balance_after
