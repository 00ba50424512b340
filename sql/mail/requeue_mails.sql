-- A mail waits with its job, or nobody would ever send it: gives one to each that has none.
select customer.enqueue_mail(mail.mail_id)
from customer.mail
where
    mail.state = 'queued'
    and not exists (select from graphile_worker.jobs where jobs.key = 'mail:' || mail.mail_id)
