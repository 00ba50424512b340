-- Returns one row: the submission $2 of the account $1, with its items in lists by their state.
select
    submission.submission_ref,
    case when submission.settled_at is null then 'open' else 'settled' end as state,
    to_char(submission.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as submitted_at,
    to_char(submission.settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as settled_at,
    coalesce(json_agg(item order by item_no) filter (where outcome.state = 'ready'), '[]') as ready,
    coalesce(json_agg(item order by item_no) filter (where outcome.state = 'queued'), '[]') as queued,
    coalesce(json_agg(item order by item_no) filter (where outcome.state = 'failed'), '[]') as failed,
    coalesce(json_agg(item order by item_no) filter (where outcome.state = 'removed'), '[]') as removed
from customer.submission
join customer.submission_outcome as outcome using (submission_id)
-- The value of an item without a type is the reference of a company.
cross join lateral (
    select
        outcome.identifier_type,
        case when outcome.identifier_type is not null then outcome.identifier_value end as identifier_value,
        case
            when outcome.identifier_type is null
                then coalesce(outcome.company_ref, outcome.identifier_value)
            else outcome.company_ref
        end as company_ref,
        outcome.name,
        outcome.reference,
        outcome.failure ->> 'code' as code,
        outcome.failure ->> 'sentence' as failure
) as item
where
    submission.account_id = $1::bigint
    and submission.submission_ref = $2::text
group by submission.submission_id
