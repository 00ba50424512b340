-- Returns one row per known token among the hashes $1, with the token's account and validity at the time $2.
-- `snapshot_no` is the number of the newest snapshot at this moment: the request of the token must not read an older
-- snapshot. The query only reads, so a standby can run it.
select
    encode(token.secret_hash, 'hex') as hash,
    account.account_id, account.user_ref, account.name as user_name, token.token_id,
    token.token_ref, token.name as token_name, token.kind, token.expires_at, token.last_used_at,
    last_id.last_id::float8 as snapshot_no,
    case
        when token.revoked_at is not null then 'revoked'
        when token.expires_at <= $2::timestamptz then 'expired'
        else 'usable'
    end as state
from unnest($1::bytea[]) as asked (secret_hash)
-- `limit 1` makes the planner expect one row per hash; without this limit the planner may scan the whole table.
cross join lateral (
    select *
    from customer.token
    where token.secret_hash = asked.secret_hash
    limit 1
) as token
join customer.account as account using (account_id)
cross join registry.last_id
where last_id.table_name = 'snapshot'
