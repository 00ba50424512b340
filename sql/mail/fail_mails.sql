-- Fails, at the time $1, the mails whose job has used up its attempts and never ended, and removes the job. Returns one
-- row per failed mail.
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
