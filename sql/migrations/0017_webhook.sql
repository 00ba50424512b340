-- One row per webhook: a client's endpoint that is called with the events of a feed, and the results of the calls.
-- `filters` has the filters as the client wrote them, and `feed_filter` the filter of the feed. `event_id` is the last
-- event that the endpoint accepted (0: none); no event after it, up to `scanned_event_id`, passes the filter.
-- `snapshot_no` is the newest publication of which the endpoint was notified, and `published` each registry's newest
-- day then. A newer publication makes the endpoint due. `replay_count` counts the client's changes of position and
-- filter; a call that began before then moves no position. The secret is derived from `secret_version`; until
-- `previous_secret_until`, calls are also signed with the previous version. `test_requested_at` is when the client
-- requested a test call. `attempt_count`, `next_attempt_at` and `failing_since` describe failed calls since the last
-- success. A worker that calls an endpoint holds a lease of it until `leased_until`. `is_slow` marks an endpoint whose
-- last answer took seconds. An endpoint is disabled by its client (`paused`), a 410 (`gone`) or days of failures
-- (`failing`).
create table customer.webhook (
    webhook_id bigint generated always as identity primary key,
    account_id bigint not null references customer.account,
    webhook_ref text not null,
    url text not null,
    scope text not null,
    filters jsonb not null default '{}',
    feed_filter jsonb not null default '{}',
    max_events integer not null,
    has_heartbeat boolean not null,
    state text not null default 'active',
    disabled_reason text,
    event_id bigint not null,
    scanned_event_id bigint,
    snapshot_no bigint not null,
    published jsonb not null,
    replay_count integer not null default 0,
    secret_version integer not null default 1,
    previous_secret_until timestamptz,
    test_requested_at timestamptz,
    attempt_count integer not null default 0,
    next_attempt_at timestamptz,
    failing_since timestamptz,
    leased_until timestamptz,
    is_slow boolean not null default false,
    created_at timestamptz not null,
    constraint webhook_ref_key unique (webhook_ref),
    constraint webhook_scope_known check (scope in ('watched', 'all')),
    constraint webhook_max_events_known check (max_events between 1 and 50),
    constraint webhook_state_known check (state in ('active', 'disabled')),
    constraint webhook_disabled_reason_known check (disabled_reason in ('paused', 'gone', 'failing')),
    constraint webhook_disabled_with_reason check ((state = 'disabled') = (disabled_reason is not null))
) with (fillfactor = 75);

create index webhook_account_idx on customer.webhook (account_id, webhook_id);

-- One row per call of an endpoint: the events after `previous_event_id` up to `event_id`, and the endpoint's answer.
-- All attempts to send one message have the same `message_id`, which is the header `webhook-id`. Without an answer,
-- `status_code` is null and `error` states why. `response` is the beginning of the answer's body. A test call does not
-- change the position of the endpoint.
create table customer.webhook_delivery (
    delivery_id bigint generated always as identity primary key,
    webhook_id bigint not null references customer.webhook on delete cascade,
    message_id text not null,
    kind text not null,
    previous_event_id bigint not null,
    event_id bigint not null,
    event_count integer not null,
    attempt_no integer not null,
    started_at timestamptz not null,
    duration_ms integer not null,
    status_code integer,
    error text,
    response text,
    constraint webhook_delivery_kind_known check (kind in ('events', 'heartbeat', 'test'))
);

create index webhook_delivery_webhook_idx on customer.webhook_delivery (webhook_id, delivery_id);
create index webhook_delivery_started_at_idx on customer.webhook_delivery (started_at);
