-- One row per account that has chosen the events of its alerts; an account without a row gets no alerts. The lists are
-- null where all classes or categories apply. `notify_submissions`: whether a mail reports the result of a submission;
-- an account without a row gets such a mail.
create table customer.alert_setting (
    account_id bigint primary key references customer.account,
    alerts_enabled boolean not null,
    notify_via_email boolean not null,
    alert_min_severity text not null references registry.severity,
    alert_event_classes text[],
    alert_categories text[],
    notify_submissions boolean not null default true
);

-- One row per account and company that it watches or waits for. `company_id` is null until the company is known; the
-- identifier is the submitted number. The events of the company count from the night of `ready_at` on. While the watch
-- is queued, registries are asked for the number from `next_attempt_at` on. `attempt_count` counts the attempts at
-- which a registry did not answer; `last_error` is the newest reason. The alert settings are null unless
-- `has_custom_settings`.
-- A transaction that adds or removes watches, or changes their state, locks the accounts first. Before a transaction
-- locks several accounts, it takes the lock 'customer.watch'.
create table customer.watch (
    watch_id bigint generated always as identity primary key,
    account_id bigint not null references customer.account,
    company_id bigint,
    identifier_type text not null,
    identifier_value text not null,
    state text not null,
    created_at timestamptz not null,
    next_attempt_at timestamptz not null default '-infinity',
    attempt_count integer not null default 0,
    last_error text,
    ready_at timestamptz,
    failed_at timestamptz,
    failure jsonb,
    events_count bigint not null default 0,
    last_event_at timestamptz,
    has_custom_settings boolean not null default false,
    alerts_enabled boolean,
    notify_via_email boolean,
    alert_min_severity text references registry.severity,
    alert_event_classes text[],
    alert_categories text[],
    constraint watch_company_key unique (account_id, company_id),
    constraint watch_state_known check (state in ('queued', 'ready', 'failed')),
    constraint watch_ready_once_known check ((state = 'ready') = (company_id is not null and ready_at is not null)),
    constraint watch_failed_with_reason check ((state = 'failed') = (failed_at is not null and failure is not null)),
    constraint watch_custom_settings_whole check (
        has_custom_settings
        = (alerts_enabled is not null and notify_via_email is not null and alert_min_severity is not null)
    )
) with (fillfactor = 75);

-- Only waiting watches are unique by their number: the number of a known company may later name another company.
create unique index watch_awaited_key
on customer.watch (account_id, identifier_type, identifier_value)
where company_id is null;
create index watch_company_idx on customer.watch (company_id);
create index watch_account_idx on customer.watch (account_id, watch_id);
create index watch_queued_idx on customer.watch (identifier_type, identifier_value)
where state = 'queued';
create index watch_waiting_idx on customer.watch (account_id, next_attempt_at, watch_id)
where state = 'queued';

-- One row per request that put companies on a watch list and still has queued items. When no item is queued any more, a
-- mail replaces the row.
create table customer.submission (
    submission_id bigint generated always as identity primary key,
    account_id bigint not null references customer.account,
    created_at timestamptz not null
);

-- One row per submission and submitted identifier; `item_no` is the order in the submission. After the removal of a
-- company its items have no watch.
create table customer.submission_item (
    submission_id bigint not null references customer.submission on delete cascade,
    item_no integer not null,
    identifier_type text not null,
    identifier_value text not null,
    watch_id bigint references customer.watch on delete set null,
    constraint submission_item_pkey primary key (submission_id, identifier_type, identifier_value)
);

create index submission_item_watch_idx on customer.submission_item (watch_id);
create index submission_account_idx on customer.submission (account_id);
