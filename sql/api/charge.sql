-- Charges the credit withdrawals in the list $1. Returns one row per paid withdrawal: its operation key, and the
-- balance after the withdrawal. An account's withdrawals are charged in the order of the list until the balance does
-- not cover the next one. A wallet that another transaction has locked is not charged, so that no process waits.
with asked as materialized (
    select *
    from rows from (
        json_to_recordset($1) as (
            account_id bigint, amount bigint, description text, operation_key text, now timestamptz
        )
    ) with ordinality as asked (account_id, amount, description, operation_key, created_at, place)
),

-- `skip locked` skips only wallets that another transaction has locked, not wallets that this transaction has locked.
-- After the lock, the row shows the newest committed balance.
locked as materialized (
    select account_id, balance, last_transaction_no
    from customer.wallet
    where account_id = any(array(select asked.account_id from asked))
    for no key update skip locked
),

granted as materialized (
    select *
    from (
        select
            asked.*,
            locked.balance - sum(asked.amount) over in_turn as balance_after,
            locked.last_transaction_no + row_number() over in_turn as transaction_no
        from asked
        join locked using (account_id)
        window in_turn as (partition by account_id order by asked.place)
    ) as counted
    where balance_after >= 0
),

charged as (
    update customer.wallet as wallet set
        balance = newest.balance_after,
        last_transaction_no = newest.transaction_no
    from (
        select distinct on (account_id) account_id, balance_after, transaction_no
        from granted
        order by account_id, transaction_no desc
    ) as newest
    where wallet.account_id = newest.account_id
)

insert into customer.wallet_transaction (
    account_id, transaction_no, type, amount, balance_before, balance_after, description,
    operation_key, created_at
)
select
    account_id, transaction_no, 'withdraw', amount, balance_after + amount, balance_after, description,
    operation_key, created_at
from granted
returning operation_key, balance_after
