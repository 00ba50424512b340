-- One row per withdrawal that its wallet can pay, with the balance after it. The withdrawals are the
-- lists $1 of accounts, $2 of amounts, $3 of descriptions, $4 of operation keys and $5 of times. The
-- withdrawals of an account are paid in their order, as far as its balance goes.
-- Wallets are locked in the order of their accounts, so that two processes cannot deadlock.
with asked as materialized (
    select *
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[])
        with ordinality as asked (account_id, amount, description, operation_key, created_at, place)
),

locked as materialized (
    select wallet.account_id, wallet.balance
    from customer.wallet as wallet
    where wallet.account_id = any($1::bigint[])
    order by wallet.account_id
    for no key update
),

summed as (
    select
        asked.*,
        locked.balance,
        sum(asked.amount) over in_turn as spent,
        row_number() over in_turn as turn
    from asked
    join locked on locked.account_id = asked.account_id
    window in_turn as (partition by asked.account_id order by asked.place)
),

granted as materialized (
    select *
    from summed
    where summed.spent <= summed.balance
),

charged as (
    update customer.wallet as wallet set
        balance = wallet.balance - spending.spent,
        last_transaction_no = wallet.last_transaction_no + spending.turns
    from (
        select granted.account_id, max(granted.spent) as spent, max(granted.turn) as turns
        from granted
        group by granted.account_id
    ) as spending
    -- The locked row decides, not the balance that was read before the lock.
    where wallet.account_id = spending.account_id and wallet.balance >= spending.spent
    returning
        wallet.account_id,
        wallet.balance + spending.spent as balance,
        wallet.last_transaction_no - spending.turns as last_transaction_no
)

insert into customer.wallet_transaction (
    account_id, transaction_no, type, amount, balance_before, balance_after, description,
    operation_key, created_at
)
select
    granted.account_id,
    charged.last_transaction_no + granted.turn,
    'withdraw',
    granted.amount,
    charged.balance - granted.spent + granted.amount,
    charged.balance - granted.spent,
    granted.description,
    granted.operation_key,
    granted.created_at
from granted
join charged on charged.account_id = granted.account_id
returning operation_key, balance_after
