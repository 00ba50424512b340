-- Charges the withdrawals of the list $1. Returns one row per withdrawal that its wallet can pay, with the balance
-- after it. The withdrawals of an account are paid in their order, as far as the balance goes.
-- A wallet that another transaction has locked pays nothing, so that no process waits.
with asked as materialized (
    select *
    from rows from (
        json_to_recordset($1) as (
            account_id bigint, amount bigint, description text, operation_key text, now timestamptz
        )
    ) with ordinality as asked (account_id, amount, description, operation_key, created_at, place)
),

-- Locks of this transaction itself do not count. A locked row has the balance after all committed transactions.
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
