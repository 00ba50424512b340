-- Updates the rows of the API tokens in the list $1: adds the number of requests, and sets time and address of the last
-- one. A token that another transaction has locked is skipped, so that no process waits; returns the hashes of skipped
-- tokens. The commit does not wait for the disk (`synchronous_commit` is off): a crash may lose the newest counts.
with setting as materialized (
    select set_config('synchronous_commit', 'off', true)
),

asked as materialized (
    select asked.*, decode(asked.hash, 'hex') as secret_hash
    from setting
    cross join json_to_recordset($1) as asked (
        hash text, use_count bigint, used_at timestamptz, ip inet
    )
),

usable as materialized (
    select token.token_id, asked.use_count, asked.used_at, asked.ip
    from asked
    join customer.token as token using (secret_hash)
    for no key update of token skip locked
),

counted as (
    update customer.token as token set
        usage_count = token.usage_count + usable.use_count,
        last_used_at = greatest(token.last_used_at, usable.used_at),
        last_used_ip = coalesce(usable.ip, token.last_used_ip)
    from usable
    where token.token_id = usable.token_id
)

select asked.hash
from asked
join customer.token as token using (secret_hash)
where token.token_id not in (select usable.token_id from usable)
