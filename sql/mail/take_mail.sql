-- Returns one row: the queued mail $1, locked until the transaction ends, with the language of its account and the
-- number of attempts after this one. Returns no row when the mail has been sent, or has ended in another way.
select
    mail.message_id, mail.recipient, mail.template, mail.data, mail.created_at, mail.last_error,
    customer.mail_attempts() - mail.attempt_count as attempts_left, account.language
from customer.mail
join customer.account using (account_id)
where mail.mail_id = $1 and mail.state = 'queued'
for update of mail
