-- Returns the number of valid API tokens of the account $1: neither revoked nor expired at the time $3. Deletes the
-- account's other tokens (revoked or expired) except the $2 that ended last. The caller must have locked the account.
with ended as (
    delete from customer.token
    where token_id in (
        select token_id
        from customer.token
        where account_id = $1 and (revoked_at is not null or expires_at <= $3::timestamptz)
        order by least(revoked_at, expires_at) desc, token_id desc
        offset $2::bigint
    )
)

select count(*)::int as active_count
from customer.token
where
    account_id = $1
    and kind = 'api'
    and revoked_at is null
    and (expires_at is null or expires_at > $3::timestamptz)
