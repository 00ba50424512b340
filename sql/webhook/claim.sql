-- Leases endpoints that are due, for $5 seconds and at most $1, and returns a row for each. An endpoint is due when it
-- has not heard of snapshot $2, or when its client asks for a test. The endpoint that has waited longest comes first.
-- An account has at most $3 leases, and slow endpoints of all accounts have at most $4: the other lanes stay free for
-- receivers that answer.
with held as materialized (
    select webhook.account_id, webhook.is_slow
    from customer.webhook
    where webhook.leased_until > now()
),

due as (
    select
        webhook.webhook_id, webhook.is_slow,
        row_number() over (order by test_requested_at, next_attempt_at nulls first, webhook_id) as place,
        row_number() over (
            partition by account_id
            order by test_requested_at, next_attempt_at nulls first, webhook_id
        ) + (
            select count(*) from held where held.account_id = webhook.account_id
        ) as account_place,
        row_number() over (
            partition by is_slow
            order by test_requested_at, next_attempt_at nulls first, webhook_id
        ) + (select count(*) from held where held.is_slow) as slow_place
    from customer.webhook
    where
        coalesce(webhook.leased_until <= now(), true)
        and (
            webhook.test_requested_at is not null
            or (
                webhook.state = 'active'
                and webhook.snapshot_no < $2::bigint
                and coalesce(webhook.next_attempt_at <= now(), true)
            )
        )
),

chosen as (
    select webhook.webhook_id
    from due
    join customer.webhook using (webhook_id)
    where
        due.account_place <= $3::integer
        and (due.slow_place <= $4::integer or not due.is_slow)
        -- Another worker may have leased the endpoint since.
        and coalesce(webhook.leased_until <= now(), true)
    order by due.place
    limit $1::integer
    for update of webhook skip locked
)

update customer.webhook
set leased_until = now() + make_interval(secs => $5::integer)
from chosen
where webhook.webhook_id = chosen.webhook_id
returning
    webhook.*,
    webhook.leased_until::text as lease,
    extract(epoch from now() - webhook.failing_since)::float8 * 1000 as failing_ms
