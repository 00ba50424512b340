-- Writes a submission of the numbers $3 of the type $2, for the account $1 at the time $4. Returns one row per number.
-- A number that already has a watch without a company keeps that watch.
with awaited as (
    insert into customer.watch as watch (
        account_id, identifier_type, identifier_value, state, created_at
    )
    select $1::bigint, $2::text, value, 'queued', $4::timestamptz
    from unnest($3::text[]) with ordinality as submitted (value, item_no)
    order by item_no
    -- The update changes nothing, but returns the existing row.
    on conflict (account_id, identifier_type, identifier_value) where company_id is null
    do update set account_id = watch.account_id
    returning watch_id, identifier_value, xmax = 0 as is_new
),
submission as (
    insert into customer.submission (account_id, created_at)
    values ($1::bigint, $4)
    returning submission_id
),
item as (
    insert into customer.submission_item (
        submission_id, item_no, identifier_type, identifier_value, watch_id
    )
    select submission_id, item_no, $2::text, value, watch_id
    from submission
    cross join unnest($3::text[]) with ordinality as submitted (value, item_no)
    join awaited on identifier_value = value
)
select submission_id, watch_id, is_new
from submission
cross join awaited
