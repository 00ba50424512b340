-- Claims the $1 queued mails that are due longest, and returns the id and the attempt number of each mail. Skips locked
-- mails, which another worker is still sending: an attempt may take longer than the pause before the next attempt.
update customer.mail
set
    attempt_count = attempt_count + 1,
    next_attempt_at = now() + customer.mail_pause(attempt_count + 1),
    sending_since = now()
where mail_id = any(array(
    select due.mail_id
    from customer.mail as due
    where due.state = 'queued' and due.next_attempt_at <= now()
    order by due.next_attempt_at
    limit $1::integer
    for update skip locked
))
returning mail_id::float8 as mail_id, attempt_count as attempt
