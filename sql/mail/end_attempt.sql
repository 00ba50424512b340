-- Records the result of an attempt to send the mail $1: the state $2, the error $3 or null, and the time $4. The queue
-- repeats an attempt that fails, up to `customer.mail_attempts` (sql/function/02_limits.sql).
update customer.mail
set
    state = $2,
    last_error = $3,
    attempt_count = attempt_count + case when $2 = 'dropped' then 0 else 1 end,
    ended_at = case when $2 <> 'queued' then $4::timestamptz end
where mail_id = $1
