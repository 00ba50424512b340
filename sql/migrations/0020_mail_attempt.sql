-- Replaces the job queue of release 2.0.0, in another schema, by columns of the mails: the workers of this version take
-- the queued mails that are due. Queued mails of an upgraded database are due at once.

-- While a mail is queued, its next attempt is due at `next_attempt_at`. An attempt that begins counts in `attempt_count`
-- and makes the attempt after it due (customer.mail_pause), so that a mail of a killed worker is sent by another worker.
-- `sending_since`: the beginning of the attempt under way; it stays when the worker is killed.
alter table customer.mail
add column next_attempt_at timestamptz not null default now(),
add column sending_since timestamptz;

create index mail_due_idx on customer.mail (next_attempt_at) where state = 'queued';

-- The API of release 2.0.0 calls the last of these functions until it is restarted.
drop trigger if exists mail_enqueue on customer.mail;
drop function if exists customer.enqueue_new_mail(), customer.enqueue_mail(bigint);
create or replace function customer.enqueue_import() returns void
language sql as 'select';

drop schema if exists graphile_worker cascade;
delete from registry.applied_migration where name like 'graphile_worker_%';
delete from registry.lock where lock_name like 'worker %';
