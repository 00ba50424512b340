-- One row per mail. The text of a mail is rendered from `template` and `data` at its sending, so that no one-time token
-- is stored in clear. `mail_key` names the cause of the mail: each cause sends one mail. `message_id` stays the same
-- over all attempts. A mail has failed when the recipient's server refuses it for good, or when its attempts are used
-- up. A mail that lost its purpose is dropped. `last_error` is the reason of a failed or dropped mail.
create table customer.mail (
    mail_id bigint generated always as identity primary key,
    mail_key text not null,
    message_id uuid not null default gen_random_uuid() unique,
    account_id bigint not null references customer.account,
    recipient text not null,
    template text not null,
    data jsonb not null,
    state text not null default 'queued',
    attempt_count integer not null default 0,
    last_error text,
    created_at timestamptz not null,
    ended_at timestamptz,
    constraint mail_key_key unique (mail_key),
    constraint mail_state_known check (state in ('queued', 'sent', 'failed', 'dropped')),
    constraint mail_ended_unless_queued check ((state = 'queued') = (ended_at is null))
);

create index mail_account_idx on customer.mail (account_id, template);

create index mail_ended_at_idx on customer.mail (ended_at);

create index mail_state_idx on customer.mail (state) where state <> 'sent';
