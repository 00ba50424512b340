-- Leases at most $1 due webhook endpoints for $5 seconds, and returns one row per endpoint. An endpoint is due if its
-- `snapshot_no` is below $2 (the newest), or its client has requested a test. The endpoint that has been due longest is
-- leased first. An account has at most $3 leases at a time. Slow endpoints of all accounts together have at most $4
-- leases, so that leases for fast endpoints remain. Leases that workers already hold count towards both limits.
with wanted as (
    select
        webhook.webhook_id, webhook.is_slow, waiting.turn,
        row_number() over (partition by webhook.account_id order by waiting.turn) as account_place,
        row_number() over (partition by webhook.is_slow order by waiting.turn) as slow_place
    from customer.webhook
    cross join lateral (
        select row(
            coalesce(leased_until <= now(), true), test_requested_at,
            coalesce(next_attempt_at, '-infinity'), webhook_id
        ) as turn
    ) as waiting
    where
        leased_until > now()
        or test_requested_at is not null
        or (state = 'active' and snapshot_no < $2::bigint and coalesce(next_attempt_at <= now(), true))
),

chosen as (
    select webhook.webhook_id
    from wanted
    join customer.webhook using (webhook_id)
    where
        wanted.account_place <= $3::integer
        and (wanted.slow_place <= $4::integer or not wanted.is_slow)
        -- Another worker may have leased the endpoint since the query `wanted` read its row.
        and coalesce(webhook.leased_until <= now(), true)
    order by wanted.turn
    limit $1::integer
    for update of webhook skip locked
)

update customer.webhook
-- `leased_until` identifies a lease. `leased_until` has whole milliseconds, because the worker holds it as a Date.
set leased_until = date_trunc('milliseconds', now()) + make_interval(secs => $5::integer)
from chosen
where webhook.webhook_id = chosen.webhook_id
returning webhook.*
