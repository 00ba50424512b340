-- Lists the open jobs of the workers: one per queued mail, and one import job if an import of numbers is due. The state
-- of a job is 'waiting', 'running' or 'given_up'. A 'given_up' mail has no attempt left, but is not yet failed.
create or replace view customer.job as
select
    'send_mail' as task,
    case
        when attempt_count >= customer.mail_attempts() and next_attempt_at <= now() then 'given_up'
        when sending_since is not null then 'running'
        else 'waiting'
    end as state,
    next_attempt_at as due_at
from customer.mail
where state = 'queued'
union all
select
    'import',
    case
        when exists (select from registry.lock where lock_name = 'import' and registry.is_held(lock)) then 'running'
        else 'waiting'
    end,
    min(due_since)
from customer.import_queue
having count(*) > 0;
