-- Returns one row: the one-time token $1, and the reason why the token is not valid at the time $2 (null if valid).
select
    one_time_token.one_time_token_id, one_time_token.purpose, account.user_ref,
    one_time_token.created_at, one_time_token.expires_at,
    case
        when one_time_token.used_at is not null then 'was used'
        when one_time_token.cancelled_at is not null then 'was cancelled'
        when one_time_token.expires_at <= $2::timestamptz then 'has expired'
    end as ending
from customer.one_time_token
join customer.account using (account_id)
where one_time_token.one_time_token_id = $1
