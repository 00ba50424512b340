-- One row a mail whose job was begun as often as it may be, but never came to an end: it has failed,
-- at $1.
with
exhausted as materialized (
    select
        mail.mail_id,
        jobs.id as job_id
    from customer.mail
    join graphile_worker.jobs on jobs.key = 'mail:' || mail.mail_id
    where
        mail.state = 'queued'
        and jobs.attempts >= jobs.max_attempts
        and jobs.locked_at is null
),

failed as (
    update customer.mail
    set
        state = 'failed',
        last_error = coalesce(mail.last_error, 'The worker was ended in the middle each time'),
        ended_at = $1::timestamptz
    from exhausted
    where mail.mail_id = exhausted.mail_id and mail.state = 'queued'
    returning mail.mail_id
),

removed as materialized (
    select job.id
    from graphile_worker.complete_jobs(array(select job_id from exhausted)) as job
)

select
    failed.mail_id,
    (select count(*) from removed) as removed
from failed
