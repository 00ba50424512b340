-- Deletes mails that were sent, failed or dropped, and one-time tokens that expired, before the time $1. Returns one
-- row with the counts of deleted mails and tokens. Also deletes stored answers to requests with an `Idempotency-Key`
-- that are a day old at the time $2. Windows of rate limits are deleted an hour after their end, since the clock of
-- another machine may be behind. Locked windows are skipped, since the API locks windows in another order, which could
-- cause a deadlock. Submissions are deleted `customer.submission_days` after their last item was settled, unless
-- another transaction has locked their account. erase_old.sql deletes webhook deliveries, feeds and ledgers.
with
mail as (
    delete from customer.mail
    where mail.ended_at < $1::timestamptz
    returning mail.mail_id
),

one_time_token as (
    delete from customer.one_time_token
    where one_time_token.expires_at < $1::timestamptz
    returning one_time_token.one_time_token_id
),

idempotent_answer as (
    delete from customer.idempotent_answer
    where created_at < $2::timestamptz - interval '1 day'
),

submission as (
    delete from customer.submission
    where submission.submission_id in (
        select settled.submission_id
        from customer.submission as settled
        join customer.account using (account_id)
        where settled.settled_at < $2::timestamptz - make_interval(days => customer.submission_days())
        for no key update of account skip locked
    )
),

rate_limit as (
    delete from customer.rate_limit
    where limit_key in (
        select limit_key
        from customer.rate_limit
        where reset_at < $2::timestamptz - interval '1 hour'
        for update skip locked
    )
)

select
    (select count(*)::integer from mail) as mail_count,
    (select count(*)::integer from one_time_token) as token_count
