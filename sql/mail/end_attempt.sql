-- Stores the result of an attempt to send the mail $1: the new state $2, the error $3 or null, and the time $4. A mail
-- that stays `queued` is due again after a pause. A mail that is `dropped` was not sent, so the attempt is not counted.
update customer.mail
set
    state = $2,
    last_error = $3,
    attempt_count = least(attempt_count, customer.mail_attempts()) - case when $2 = 'dropped' then 1 else 0 end,
    next_attempt_at = clock_timestamp() + customer.mail_pause(attempt_count),
    sending_since = null,
    ended_at = case when $2 <> 'queued' then $4::timestamptz end
where mail_id = $1
