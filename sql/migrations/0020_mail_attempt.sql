-- Replaces the job queue of release 2.0.0, which was in another schema, by columns of the mails: workers now take the
-- queued mails that are due. Queued mails of an upgraded database are due at once.

-- The next attempt to send a queued mail is due at `next_attempt_at`. The beginning of an attempt increases
-- `attempt_count` and makes the following attempt due (customer.mail_pause), so that another worker sends the mail of a
-- killed worker. `sending_since` is the beginning of the present attempt; the value stays if the worker is killed.
alter table customer.mail
add column next_attempt_at timestamptz not null default now(),
add column sending_since timestamptz;

create index mail_due_idx on customer.mail (next_attempt_at) where state = 'queued';

-- The API of release 2.0.0 calls customer.enqueue_import until this API is restarted.
drop trigger if exists mail_enqueue on customer.mail;
drop function if exists customer.enqueue_new_mail(), customer.enqueue_mail(bigint);
create or replace function customer.enqueue_import() returns void
language sql as 'select';

drop schema if exists graphile_worker cascade;
delete from registry.applied_migration where name like 'graphile_worker_%';
delete from registry.lock where lock_name like 'worker %';
