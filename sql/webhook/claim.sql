-- Leases endpoints that are due, for $5 seconds and at most $1, and returns a row for each. An endpoint is due when its
-- `snapshot_no` is below $2, or when its client asks for a test. The endpoint that has waited longest comes first. An
-- account has at most $3 leases. Slow endpoints of all accounts have at most $4, so that leases for fast endpoints
-- remain. Leases that workers already hold count first.
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
        -- Another worker may have leased the endpoint after `wanted` was read.
        and coalesce(webhook.leased_until <= now(), true)
    order by wanted.turn
    limit $1::integer
    for update of webhook skip locked
)

update customer.webhook
-- The end identifies a lease. It is in whole milliseconds, since the worker holds it as a Date of JavaScript.
set leased_until = date_trunc('milliseconds', now()) + make_interval(secs => $5::integer)
from chosen
where webhook.webhook_id = chosen.webhook_id
returning webhook.*
