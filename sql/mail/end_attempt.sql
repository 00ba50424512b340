-- Records the result of an attempt at the mail $1: its state $2, at $4, and the error $3 or null.
update customer.mail
set
    state = $2,
    last_error = $3,
    attempt_count = attempt_count + case when $2 = 'dropped' then 0 else 1 end,
    ended_at = case when $2 <> 'queued' then $4::timestamptz end
where mail_id = $1
