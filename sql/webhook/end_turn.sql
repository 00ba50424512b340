-- Keeps what a worker with the lease $2 has done for the endpoint $1, whose position was the event $3 after $4 replays:
-- the state $5, the call $6 or null, and a mail to the owner about $7 or null. Of the calls of an endpoint the newest $8
-- stay. Returns a row, unless the client has moved the position meanwhile: the position stays, and the lease ends by
-- itself.
with ended as (
    update customer.webhook
    set
        leased_until = case when next.goes_on then webhook.leased_until end,
        event_id = next.event_id,
        scanned_event_id = next.scanned_event_id,
        snapshot_no = next.snapshot_no,
        published = next.published,
        attempt_count = next.attempt_count,
        next_attempt_at = now() + next.wait_ms * interval '1 millisecond',
        failing_since = case when next.attempt_count > 0 then coalesce(webhook.failing_since, now()) end,
        is_slow = next.is_slow,
        state = case when next.ending is null then webhook.state else 'disabled' end,
        disabled_reason = coalesce(next.ending, webhook.disabled_reason),
        test_requested_at = case when not next.is_test then webhook.test_requested_at end
    from jsonb_to_record($5::jsonb) as next (
        event_id bigint, scanned_event_id bigint, snapshot_no bigint, published jsonb,
        attempt_count integer, wait_ms bigint, is_slow boolean, ending text, is_test boolean,
        goes_on boolean
    )
    where
        webhook.webhook_id = $1::bigint
        and webhook.leased_until = $2::timestamptz
        and webhook.event_id = $3::bigint
        and webhook.replay_count = $4::integer
    returning webhook.*
),

delivery as (
    insert into customer.webhook_delivery (
        webhook_id, message_id, kind, previous_event_id, event_id, event_count, attempt_no, started_at,
        duration_ms, status_code, error, response
    )
    select
        webhook.webhook_id, call.message_id, call.kind, call.previous_event_id, call.event_id,
        call.event_count, call.attempt_no, call.started_at, call.duration_ms, call.status_code,
        call.error, call.response
    from customer.webhook
    cross join jsonb_populate_record(null::customer.webhook_delivery, $6::jsonb) as call
    where webhook.webhook_id = $1 and $6 is not null
),

forgotten as (
    delete from customer.webhook_delivery
    where
        webhook_delivery.webhook_id = $1
        and webhook_delivery.delivery_id <= (
            select kept.delivery_id
            from customer.webhook_delivery as kept
            where kept.webhook_id = $1
            order by kept.delivery_id desc
            limit 1 offset $8::integer - 1
        )
),

-- A cause sends one mail a day and endpoint. Only an owner who was told of failures is told that they are over.
mailed as (
    insert into customer.mail (mail_key, account_id, recipient, template, data, created_at)
    select
        concat_ws(':', 'webhook', cause.name, ended.webhook_id, cause.day),
        account.account_id,
        account.email,
        'webhook',
        $7::jsonb || jsonb_build_object(
            'user_name', account.name, 'url', ended.url, 'webhook_ref', ended.webhook_ref
        ),
        now()
    from ended
    join customer.account using (account_id)
    cross join lateral (
        select $7::jsonb ->> 'cause' as name, left($7::jsonb ->> 'since', 10) as day
    ) as cause
    where
        cause.name <> 'works'
        or exists (
            select
            from customer.mail
            where mail.mail_key = concat_ws(':', 'webhook', 'unanswered', ended.webhook_id, cause.day)
        )
    on conflict (mail_key) do nothing
)

select from ended
