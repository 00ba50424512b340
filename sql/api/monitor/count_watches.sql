-- Returns one row with counts of the watches of the account $1. `added` counts the watches with ids in the list $2, and
-- `waiting` those of them whose import is queued. `all_watches` counts all watches of the account, and `all_queued`
-- those whose import is queued. `notifies`: the account wants a mail about the outcome of submissions.
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
