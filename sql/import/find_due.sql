-- Returns at most $2 company numbers whose next import attempt is due at the time $1, and at most $3 per account. Every
-- second number is of an account that has ever bought credits (a buyer). Buyers and other accounts have separate
-- rounds. A round takes one number of each account: one that was never requested, else the one that is due longest. A
-- round begins after the account $4 (buyers) or $5 (others). `is_known` states whether a company has the number.
with recursive account as (
    -- Steps through an index from account to account, so that the time grows with the accounts, not with the watches.
    select min(watch.account_id) as account_id
    from customer.watch
    where watch.state = 'queued'
    union all
    select (
        select min(watch.account_id)
        from customer.watch
        where watch.state = 'queued' and watch.account_id > account.account_id
    )
    from account
    where account.account_id is not null
),

turn as (
    select
        due.*,
        account.account_id,
        coalesce(wallet.total_purchased, 0) > 0 as is_buyer,
        account.account_id <= case
            when wallet.total_purchased > 0 then $4::bigint
            else $5::bigint
        end as is_served
    from account
    left join customer.wallet using (account_id)
    cross join lateral (
        select
            watch.identifier_type, watch.identifier_value, watch.attempt_count,
            row_number() over (order by watch.next_attempt_at, watch.watch_id) as round
        from customer.watch
        where
            watch.account_id = account.account_id
            and watch.state = 'queued'
            and watch.next_attempt_at <= $1::timestamptz
        order by watch.next_attempt_at, watch.watch_id
        limit $3
    ) as due
),

-- If several accounts watch a number, the number is taken in the first round in which it is one account's turn.
first_turn as (
    select distinct on (identifier_type, identifier_value) *
    from turn
    order by identifier_type, identifier_value, round, is_buyer desc, is_served, account_id
),

placed as (
    select
        *,
        row_number() over (partition by is_buyer order by round, is_served, account_id) as place
    from first_turn
    order by place, is_buyer desc
    limit $2
)

select
    placed.identifier_type, placed.identifier_value, placed.attempt_count, placed.account_id,
    placed.is_buyer,
    registry.find_company(placed.identifier_type, placed.identifier_value) is not null as is_known
from placed
order by placed.place, placed.is_buyer desc
