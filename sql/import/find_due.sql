-- At most $2 awaited numbers that are due at $1, at most $3 of one account. Accounts that have ever bought
-- credits and the others have every second place. Within both, accounts have one number in turn, oldest
-- first; the first turn is that of the account after $4 (of buyers) or $5. `is_known`: a company has it.
with due as materialized (
    select
        watch.identifier_type,
        watch.identifier_value,
        watch.account_id,
        coalesce(import.attempt_count, 0) as attempt_count,
        row_number() over (partition by watch.account_id order by watch.watch_id) as round
    from customer.watch
    left join customer.import using (identifier_type, identifier_value)
    where
        watch.state = 'queued'
        and (import.next_attempt_at is null or import.next_attempt_at <= $1::timestamptz)
),

turn as (
    select
        due.*,
        coalesce(wallet.total_purchased, 0) > 0 as is_buyer,
        due.account_id <= case
            when wallet.total_purchased > 0 then $4::bigint
            else $5::bigint
        end as is_served
    from due
    left join customer.wallet using (account_id)
    where due.round <= $3
),

-- A number that several accounts await has the first of their turns.
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
    placed.identifier_type,
    placed.identifier_value,
    placed.attempt_count,
    placed.account_id,
    placed.is_buyer,
    registry.find_company(placed.identifier_type, placed.identifier_value) is not null as is_known
from placed
order by placed.place, placed.is_buyer desc
