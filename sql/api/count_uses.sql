-- One row per token of the list $1: its owner, and whether its uses, the last one from an address, are
-- counted at the time $2; and the number of the newest snapshot, which no read of it may precede. Uses of a token that is revoked, expired or locked by another transaction are
-- not counted; 0 uses only read.
-- Locked tokens are skipped, so that no process waits. A use does not wait for the disk: a crash may
-- lose the uses of the last moments.
with setting as materialized (
    select set_config('synchronous_commit', 'off', true)
),

asked as materialized (
    select *, decode(hash, 'hex') as secret_hash
    from json_to_recordset($1) as asked (hash text, use_count bigint, ip inet)
),

usable as materialized (
    select token.token_id, token.last_used_at, asked.use_count, asked.ip
    from setting
    cross join asked
    join customer.token as token using (secret_hash)
    where
        asked.use_count > 0
        and token.revoked_at is null
        and (token.expires_at is null or token.expires_at > $2::timestamptz)
    for no key update of token skip locked
),

counted as (
    update customer.token as token set
        usage_count = token.usage_count + usable.use_count,
        last_used_at = greatest(token.last_used_at, $2::timestamptz),
        last_used_ip = coalesce(usable.ip, token.last_used_ip)
    from usable
    where token.token_id = usable.token_id
    returning token.token_id, usable.last_used_at
)

select
    asked.hash,
    account.account_id,
    account.user_ref,
    account.name as user_name,
    token.token_id,
    token.token_ref,
    token.name as token_name,
    token.kind,
    token.expires_at,
    counted.last_used_at,
    last_id.last_id::float8 as snapshot_no,
    case
        when counted.token_id is not null then 'counted'
        when token.revoked_at is not null then 'revoked'
        when token.expires_at <= $2::timestamptz then 'expired'
        else 'usable'
    end as state
from asked
join customer.token as token using (secret_hash)
join customer.account as account using (account_id)
cross join registry.last_id
left join counted using (token_id)
where last_id.table_name = 'snapshot'
