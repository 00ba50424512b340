-- One row per mail. What it says is rendered from `template` and `data` when it is sent, so that no
-- one-time token is stored in clear. `mail_key` names its cause: written twice, it is sent once.
-- `message_id` stays the same over all attempts. A mail has failed when the recipient's server will
-- never take it, or when the attempts are used up; it is dropped when there is no use for it any
-- more. `last_error` says why.
create table customer.mail (
    mail_id bigint generated always as identity,
    mail_key text not null,
    message_id uuid not null default gen_random_uuid(),
    account_id bigint not null,
    recipient text not null,
    template text not null,
    data jsonb not null,
    state text not null default 'queued',
    attempt_count integer not null default 0,
    last_error text,
    created_at timestamptz not null,
    ended_at timestamptz,
    constraint mail_pkey primary key (mail_id),
    constraint mail_key_key unique (mail_key),
    constraint mail_message_id_key unique (message_id),
    constraint mail_account_fkey foreign key (account_id) references customer.account,
    constraint mail_state_known check (state in ('queued', 'sent', 'failed', 'dropped')),
    constraint mail_ended_unless_queued check ((state = 'queued') = (ended_at is null))
);

create index mail_state_idx on customer.mail (state) where state <> 'sent';

-- The job that sends it; its attempts span some 16 hours.
create function customer.enqueue_mail(mail_id bigint) returns void
language plpgsql as $$
begin
    perform graphile_worker.add_job(
        'send_mail',
        json_build_object('mail_id', mail_id),
        max_attempts => 12,
        job_key => 'mail:' || mail_id
    );
end;
$$;

create function customer.enqueue_new_mail() returns trigger
language plpgsql as $$
begin
    perform customer.enqueue_mail(new.mail_id);
    return null;
end;
$$;

-- The job is enqueued in the transaction that writes the row.
create trigger mail_enqueue
after insert on customer.mail
for each row execute function customer.enqueue_new_mail();
