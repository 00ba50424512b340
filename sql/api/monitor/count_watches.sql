-- One row: of the submission $2 of the account $1 how many companies are ready, how many of its new watches $3
-- are on the list and how many of these wait; of the account all watches, all that wait, and whether a mail
-- reports its submissions.
select
    (
        select count(*)
        from customer.submission_item
        join customer.watch using (watch_id)
        where submission_id = $2 and state = 'ready'
    )::int as ready,
    count(*)::int as added,
    count(*) filter (where state = 'queued')::int as waiting,
    (select count(*) from customer.watch where account_id = $1)::int as all_watches,
    (
        select count(*)
        from customer.watch
        where account_id = $1 and state = 'queued'
    )::int as all_queued,
    coalesce(
        (
            select notify_submissions
            from customer.alert_setting
            where account_id = $1
        ),
        true
    ) as notifies
from customer.watch
where watch_id = any($3::bigint[])
