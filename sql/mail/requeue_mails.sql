-- Gives a job to each queued mail that has none, since only a job sends it.
select customer.enqueue_mail(mail.mail_id)
from customer.mail
where
    mail.state = 'queued'
    and not exists (select from graphile_worker.jobs where jobs.key = 'mail:' || mail.mail_id)
