-- One row: the mail $1, which nobody else can take until the transaction ends. No row when it was
-- sent meanwhile, or has ended in another way.
select
    mail.mail_id,
    mail.message_id,
    mail.recipient,
    mail.template,
    mail.data,
    mail.attempt_count,
    mail.created_at
from customer.mail
where mail.mail_id = $1 and mail.state = 'queued'
for update
