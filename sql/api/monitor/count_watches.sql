-- Returns one row of counts. `added` and `waiting` count the new watches $2. `all_watches` and `all_queued` count the
-- watches of the account $1. `notifies` states whether a mail reports the submissions of the account.
select
    count(*) filter (where is_new)::int as added,
    count(*) filter (where is_new and state = 'queued')::int as waiting,
    count(*)::int as all_watches,
    count(*) filter (where state = 'queued')::int as all_queued,
    coalesce(
        (select notify_submissions from customer.alert_setting where account_id = $1), true
    ) as notifies
from customer.watch
cross join lateral (select watch_id = any($2::bigint[]) as is_new) as submitted
where account_id = $1
