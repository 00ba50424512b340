-- Defines submissions: lists of numbers that an account adds to its watch list. A number that no company has is queued
-- by api/monitor/submit_numbers.sql, and requested from registries by pipeline/import/ask-registries.ts.

-- Lists the items of submissions with their state: 'queued', 'ready', 'failed', or 'removed' from the watch list. If an
-- item has no identifier type, its value is the id of a company.
create or replace view customer.submission_outcome as
select
    given.submission_id, given.item_no,
    case when given.failure is null then coalesce(watch.state, 'removed') else 'failed' end as state,
    jsonb_build_object(
        'identifier_type', given.identifier_type,
        'identifier_value', case when given.identifier_type is not null then given.identifier_value end,
        'company_ref',
        coalesce(company.company_id::text, case when given.identifier_type is null then given.identifier_value end),
        'name', company.name,
        'reference', nullif(given.reference, ''),
        'failure', given.failure
    ) as item
from customer.submission_item as given
left join customer.watch using (watch_id)
left join registry.company using (company_id);

-- Marks the given submissions as settled if none of their items is still queued. Queues a mail with the results of each
-- submission, unless all its items were removed, nothing was added, or the account has disabled such mails. The caller
-- must hold the locks of the accounts (customer.lock_accounts).
create or replace function customer.settle_submissions(submission_ids bigint[], moment timestamptz)
returns void
language sql as $$
    with settled as (
        update customer.submission
        set settled_at = moment
        where
            submission.submission_id = any(submission_ids)
            and submission.settled_at is null
            and not exists (
                select
                from customer.submission_item
                join customer.watch using (watch_id)
                where
                    submission_item.submission_id = submission.submission_id
                    and watch.state = 'queued'
            )
        returning submission.*
    )

    insert into customer.mail (mail_key, account_id, recipient, template, data, created_at)
    select
        'submission:' || settled.submission_id,
        account.account_id,
        account.email,
        'import',
        jsonb_build_object(
            'user_name', account.name,
            'submitted_at', to_json(settled.created_at at time zone 'UTC') #>> '{}' || 'Z',
            'ready', coalesce(jsonb_agg(item order by item_no) filter (where state = 'ready'), '[]'),
            'failed', coalesce(jsonb_agg(item order by item_no) filter (where state = 'failed'), '[]'),
            'removed_count', count(*) filter (where state = 'removed')
        ),
        moment
    from settled
    join customer.account using (account_id)
    left join customer.alert_setting using (account_id)
    join customer.submission_outcome using (submission_id)
    where settled.is_reported and coalesce(alert_setting.notify_submissions, true)
    group by settled.submission_id, settled.created_at, account.account_id
    having bool_or(state <> 'removed')
    order by settled.submission_id;
$$;

-- Returns the ids of the submissions that contain one of the given watches and are not settled.
create or replace function customer.submissions_of(watch_ids bigint[]) returns bigint[]
language sql stable as $$
    select array(
        select distinct submission_item.submission_id
        from customer.submission_item
        join customer.submission using (submission_id)
        where submission_item.watch_id = any(watch_ids) and submission.settled_at is null
    );
$$;
