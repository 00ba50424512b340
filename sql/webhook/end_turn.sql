-- Stores what the worker with the lease $2 on the webhook endpoint $1 has done: the endpoint's changed columns $4, the
-- call $6 or null, and a mail to the owner about $7 or null. If `replay_count` is no longer $3, the client has changed
-- the position or filter meanwhile; columns and mail are then left out. Keeps the newest $8 calls of the endpoint.
-- Returns the endpoint if $5 states that the worker keeps the lease; otherwise ends the lease. `afterFailure` of
-- pipeline/webhooks/retry-or-disable.ts disables an endpoint after `failing_ms` of pipeline/figures/webhook-calls.ts.
with ended as (
    update customer.webhook
    set
        leased_until = case when $5::boolean and state = 'active' then leased_until end,
        test_requested_at = case when $6::jsonb ->> 'kind' is distinct from 'test' then test_requested_at end,
        (
            event_id, scanned_event_id, snapshot_no, published, attempt_count, next_attempt_at,
            failing_since, is_slow, state, disabled_reason
        ) = (
            select
                next.event_id, next.scanned_event_id, next.snapshot_no, next.published,
                next.attempt_count, next.next_attempt_at, next.failing_since, next.is_slow, next.state,
                next.disabled_reason
            from jsonb_populate_record(
                webhook, case when webhook.replay_count = $3::integer then $4::jsonb else '{}' end
            ) as next
        )
    where webhook_id = $1::bigint and leased_until = $2::timestamptz
    returning *
),

delivery as (
    insert into customer.webhook_delivery overriding user value
    select call.*
    from jsonb_populate_record(null::customer.webhook_delivery, $6::jsonb) as call
    join customer.webhook using (webhook_id)
),

forgotten as (
    delete from customer.webhook_delivery
    where delivery_id = any(array(
        select kept.delivery_id
        from customer.webhook_delivery as kept
        where kept.webhook_id = $1
        order by kept.delivery_id desc
        offset $8::integer - 1
    ))
),

-- Failures that began on the same day cause one mail per cause. A mail about success only follows one about failures.
mailed as (
    insert into customer.mail (mail_key, account_id, recipient, template, data, created_at)
    select
        concat_ws(':', 'webhook', report.cause, ended.webhook_id, report.since),
        account.account_id, account.email, 'webhook',
        $7::jsonb || jsonb_build_object(
            'user_name', account.name, 'url', ended.url, 'webhook_ref', ended.webhook_ref
        ),
        now()
    from ended
    join customer.account using (account_id)
    cross join jsonb_to_record($7::jsonb) as report (cause text, since date)
    where
        ended.replay_count = $3
        and (
            report.cause <> 'works'
            or exists (
                select from customer.mail
                where mail_key = concat_ws(':', 'webhook', 'unanswered', ended.webhook_id, report.since)
            )
        )
    on conflict (mail_key) do nothing
)

select * from ended where leased_until is not null
