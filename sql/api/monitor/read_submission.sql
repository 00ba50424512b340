-- Returns one row: the submission $2 of the account $1, with one list per state of its items, such as `ready`.
select
    submission.submission_ref,
    case when submission.settled_at is null then 'open' else 'settled' end as state,
    to_char(submission.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as submitted_at,
    to_char(submission.settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as settled_at,
    coalesce(jsonb_agg(shown.item order by item_no) filter (where outcome.state = 'ready'), '[]') as ready,
    coalesce(jsonb_agg(shown.item order by item_no) filter (where outcome.state = 'queued'), '[]') as queued,
    coalesce(jsonb_agg(shown.item order by item_no) filter (where outcome.state = 'failed'), '[]') as failed,
    coalesce(jsonb_agg(shown.item order by item_no) filter (where outcome.state = 'removed'), '[]') as removed
from customer.submission
join customer.submission_outcome as outcome using (submission_id)
cross join lateral (
    select
        outcome.item || jsonb_build_object(
            'code', outcome.item #> '{failure,code}', 'failure', outcome.item #> '{failure,sentence}'
        ) as item
) as shown
where
    submission.account_id = $1::bigint
    and submission.submission_ref = $2::text
group by submission.submission_id
