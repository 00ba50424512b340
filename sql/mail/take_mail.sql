-- Returns one row: the queued mail $1, the language of its account, and the number of attempts left after this attempt.
-- Locks the mail until the transaction ends. Returns no row when the mail is no longer queued.
select
    mail.message_id, mail.recipient, mail.template, mail.data, mail.created_at, mail.last_error,
    customer.mail_attempts() - mail.attempt_count as attempts_left, account.language
from customer.mail
join customer.account using (account_id)
where mail.mail_id = $1 and mail.state = 'queued'
for update of mail
