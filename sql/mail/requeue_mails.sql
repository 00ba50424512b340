-- Makes a job for each queued mail without a job, since only a job sends a mail.
select customer.enqueue_mail(mail.mail_id)
from customer.mail
where
    mail.state = 'queued'
    and not exists (select from graphile_worker.jobs where jobs.key = 'mail:' || mail.mail_id)
