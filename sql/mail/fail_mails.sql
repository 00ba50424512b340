-- One row a mail whose job was begun as often as it may be, but never came to an end: it has failed,
-- at $1, and its job is removed.
with
failed as (
    update customer.mail
    set
        state = 'failed',
        last_error = coalesce(mail.last_error, 'The worker was ended in the middle each time'),
        ended_at = $1::timestamptz
    from graphile_worker.jobs
    where
        mail.state = 'queued'
        and jobs.key = 'mail:' || mail.mail_id
        and jobs.attempts >= jobs.max_attempts
        and jobs.locked_at is null
    returning mail.mail_id, jobs.id as job_id
)

select failed.mail_id
from failed
cross join lateral graphile_worker.complete_jobs(array[failed.job_id])
