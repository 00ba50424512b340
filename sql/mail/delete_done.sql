-- Deletes mails that ended, and one-time tokens that expired, before $1. One row: their counts.
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
)

select
    (select count(*)::integer from mail) as mail_count,
    (select count(*)::integer from one_time_token) as token_count
