-- Defines the functions for watches, which are the companies that an account watches. In
-- nightly/6_notify/alert_digests.sql, the alert settings of a watch take precedence over the settings of its account.

-- Locks accounts, so that their watches do not change until the transaction ends.
create or replace function customer.lock_accounts(account_ids bigint[]) returns void
language sql as $$
    select
    from customer.account
    where account.account_id = any(account_ids)
    order by account.account_id
    for no key update;
$$;

-- Merges a watch into another watch of the same account. The remaining watch takes over the event count and the
-- submitted items of the merged watch, and its alert settings and reference if the remaining watch has none.
create or replace function customer.fold_watch(folded_id bigint, keeper_id bigint) returns void
language sql as $$
    update customer.submission_item
    set watch_id = keeper_id
    where submission_item.watch_id = folded_id;

    update customer.watch as keeper
    set
        events_count = keeper.events_count + folded.events_count,
        last_event_at = greatest(keeper.last_event_at, folded.last_event_at),
        reference = coalesce(keeper.reference, folded.reference)
    from customer.watch as folded
    where keeper.watch_id = keeper_id and folded.watch_id = folded_id;

    update customer.watch as keeper
    set
        has_custom_settings = true,
        alerts_enabled = folded.alerts_enabled,
        notify_via_email = folded.notify_via_email,
        alert_min_severity = folded.alert_min_severity,
        alert_event_classes = folded.alert_event_classes,
        alert_categories = folded.alert_categories
    from customer.watch as folded
    where
        keeper.watch_id = keeper_id
        and folded.watch_id = folded_id
        and folded.has_custom_settings
        and not keeper.has_custom_settings;

    delete from customer.watch
    where watch.watch_id = folded_id;
$$;

-- Sets the given queued watches to the state `ready` if a company now has the watched number. If the account already
-- watches the company, the queued watch is merged into the existing watch. The caller must hold the locks of the
-- accounts (customer.lock_accounts).
create or replace function customer.make_ready(watch_ids bigint[], moment timestamptz) returns void
language plpgsql as $$
declare
    awaited record;
    keeper_id bigint;
begin
    for awaited in
        select
            watch.watch_id, watch.account_id,
            registry.find_company(watch.identifier_type, watch.identifier_value) as company_id
        from customer.watch
        where watch.state = 'queued' and watch.watch_id = any(watch_ids)
        order by watch.watch_id
    loop
        continue when awaited.company_id is null;
        keeper_id := (
            select watch.watch_id
            from customer.watch
            where (watch.account_id, watch.company_id) = (awaited.account_id, awaited.company_id)
        );
        if keeper_id is not null then
            perform customer.fold_watch(awaited.watch_id, keeper_id);
        else
            update customer.watch
            set state = 'ready', company_id = awaited.company_id, ready_at = moment
            where watch.watch_id = awaited.watch_id;
        end if;
    end loop;
end;
$$;

-- Sets queued watches of any accounts to the state `ready` or `failed`, or postpones their next attempt. Then settles
-- the submissions that contain the handled watches. `asked` lists the numbers for which registries were asked: each
-- with `failure`, or with the time of its next attempt and its last error. If `asked` is null, handles the overdue
-- watches and the watches whose company is now known. A queued watch fails at the latest after `customer.watch_days`.
-- Only the accounts of the handled watches are locked.
create or replace function customer.advance_watches(moment timestamptz, asked jsonb default null) returns void
language plpgsql as $$
declare
    submissions bigint[];
    watch_ids constant bigint[] := case
        when asked is null then array(
            select watch.watch_id
            from customer.watch
            where
                watch.state = 'queued'
                and (
                    watch.created_at <= moment - make_interval(days => customer.watch_days())
                    or registry.find_company(watch.identifier_type, watch.identifier_value) is not null
                )
        )
        else array(
            select watch.watch_id
            from jsonb_to_recordset(asked) as number (identifier_type text, identifier_value text)
            join customer.watch using (identifier_type, identifier_value)
            where watch.state = 'queued'
        )
    end;
begin
    if cardinality(watch_ids) = 0 then
        return;
    end if;

    perform registry.lock_until_commit('customer.watch');
    perform customer.lock_accounts(
        array(select watch.account_id from customer.watch where watch.watch_id = any(watch_ids))
    );
    submissions := customer.submissions_of(watch_ids);
    perform customer.make_ready(watch_ids, moment);

    with failed_watch as (
        update customer.watch
        set
            state = 'failed',
            failed_at = moment,
            failure = coalesce(
                number.failure,
                jsonb_build_object(
                    'code', 'unreported',
                    'days', customer.watch_days(),
                    'sentence',
                    format('No registry has reported this number within %s days', customer.watch_days())
                )
            )
        from customer.watch as queued
        left join jsonb_to_recordset(asked)
            as number (identifier_type text, identifier_value text, failure jsonb)
            using (identifier_type, identifier_value)
        where
            queued.watch_id = any(watch_ids)
            and queued.state = 'queued'
            and queued.watch_id = watch.watch_id
            and (
                number.failure is not null
                or queued.created_at <= moment - make_interval(days => customer.watch_days())
            )
        returning watch.watch_id, watch.failure
    )

    update customer.submission_item
    set failure = failed_watch.failure
    from failed_watch
    where submission_item.watch_id = failed_watch.watch_id;

    update customer.watch
    set
        next_attempt_at = least(
            number.next_attempt_at, watch.created_at + make_interval(days => customer.watch_days())
        ),
        attempt_count = number.attempt_count,
        last_error = number.last_error
    from jsonb_to_recordset(asked) as number (
        identifier_type text, identifier_value text, attempt_count integer, last_error text,
        next_attempt_at timestamptz
    )
    where
        watch.watch_id = any(watch_ids)
        and watch.identifier_type = number.identifier_type
        and watch.identifier_value = number.identifier_value
        and watch.state = 'queued';

    perform customer.settle_submissions(submissions, moment);
end;
$$;

-- Lists the accounts with numbers that are due for import, with the count of these numbers and their earliest due time.
create or replace view customer.import_queue as
select
    watch.account_id,
    count(*) as number_count,
    min(greatest(watch.next_attempt_at, watch.created_at)) as due_since
from customer.watch
where
    watch.state = 'queued'
    and watch.next_attempt_at <= now()
group by watch.account_id;
