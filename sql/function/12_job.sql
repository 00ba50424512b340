-- Enqueues the job that sends a mail.
create or replace function customer.enqueue_mail(mail_id bigint) returns void
language plpgsql as $$
begin
    perform graphile_worker.add_job(
        'send_mail',
        json_build_object('mail_id', mail_id),
        max_attempts => customer.mail_attempts(),
        job_key => 'mail:' || mail_id
    );
end;
$$;

create or replace function customer.enqueue_new_mail() returns trigger
language plpgsql as $$
begin
    perform customer.enqueue_mail(new.mail_id);
    return null;
end;
$$;

-- Enqueues the job of a mail in the transaction that writes the mail.
create or replace trigger mail_enqueue
after insert on customer.mail
for each row execute function customer.enqueue_new_mail();

-- Enqueues the one job that asks the registries for the numbers of queued watches.
create or replace function customer.enqueue_import() returns void
language sql as $$
    select graphile_worker.add_job(
        'import',
        '{}',
        queue_name => 'import',
        job_key => 'import',
        job_key_mode => 'preserve_run_at'
    );
$$;
