-- Locks accounts, so that their watches do not change until the transaction ends.
create or replace function customer.lock_accounts(account_ids bigint[]) returns void
language sql as $$
    select
    from customer.account
    where account.account_id = any(account_ids)
    order by account.account_id
    for no key update;
$$;

-- Merges a watch of an account into another watch of the account, which takes over the events, the items and, where it
-- has none, the settings and the reference.
drop function if exists customer.fold_watches(bigint[], bigint[]);
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

-- Makes the given queued watches ready whose company is known by now. A watch of a company that the account already
-- watches is merged into the existing watch. The caller has locked the accounts.
create or replace function customer.make_ready(watch_ids bigint[], moment timestamptz) returns void
language plpgsql as $$
declare
    folded bigint[];
    keepers bigint[];
begin
    with awaited as materialized (
        select
            watch.watch_id,
            watch.account_id,
            registry.find_company(watch.identifier_type, watch.identifier_value) as company_id
        from customer.watch
        where watch.state = 'queued' and watch.watch_id = any(watch_ids)
    ),

    keeper as (
        select
            awaited.watch_id,
            coalesce(
                watch.watch_id,
                min(awaited.watch_id) over (partition by awaited.account_id, awaited.company_id)
            ) as keeper_id,
            awaited.company_id
        from awaited
        left join customer.watch using (account_id, company_id)
        where awaited.company_id is not null
    ),

    made_ready as (
        update customer.watch
        set
            state = 'ready',
            company_id = keeper.company_id,
            ready_at = moment
        from keeper
        where
            watch.watch_id = keeper.watch_id
            and keeper.watch_id = keeper.keeper_id
    )

    select
        array_agg(keeper.watch_id order by keeper.watch_id),
        array_agg(keeper.keeper_id order by keeper.watch_id)
    into folded, keepers
    from keeper
    where keeper.watch_id <> keeper.keeper_id;

    perform customer.fold_watch(pair.folded_id, pair.keeper_id)
    from unnest(folded, keepers) as pair (folded_id, keeper_id);
end;
$$;

-- Locks the accounts of the given watches. Returns the submissions that wait for these watches.
create or replace function customer.lock_watches(watch_ids bigint[]) returns bigint[]
language sql as $$
    select registry.lock_until_commit('customer.watch');
    select customer.lock_accounts(
        array(select watch.account_id from customer.watch where watch.watch_id = any(watch_ids))
    );
    select customer.submissions_of(watch_ids);
$$;

-- Makes queued watches of any accounts ready, or fails them. `failed` is a list of numbers, each with its `failure`; a
-- watch of another number fails after `customer.watch_days`. Settles the submissions of the watches. Locks only the
-- accounts of the watches.
create or replace function customer.advance_watches(
    watch_ids bigint[],
    moment timestamptz,
    failed jsonb default '[]'
) returns void
language plpgsql as $$
declare
    submissions bigint[];
begin
    if cardinality(watch_ids) = 0 then
        return;
    end if;

    submissions := customer.lock_watches(watch_ids);
    perform customer.make_ready(watch_ids, moment);

    with failed_watch as (
        update customer.watch
        set
            state = 'failed',
            failed_at = moment,
            failure = coalesce(
                known.failure,
                jsonb_build_object(
                    'code', 'unreported',
                    'days', customer.watch_days(),
                    'sentence',
                    format('No registry has reported this number within %s days', customer.watch_days())
                )
            )
        from customer.watch as queued
        left join jsonb_to_recordset(failed)
            as known (identifier_type text, identifier_value text, failure jsonb)
            using (identifier_type, identifier_value)
        where
            queued.watch_id = any(watch_ids)
            and queued.state = 'queued'
            and queued.watch_id = watch.watch_id
            and (
                known.failure is not null
                or queued.created_at <= moment - make_interval(days => customer.watch_days())
            )
        returning watch.watch_id, watch.failure
    )

    update customer.submission_item
    set failure = failed_watch.failure
    from failed_watch
    where submission_item.watch_id = failed_watch.watch_id;

    perform customer.settle_submissions(submissions, moment);
end;
$$;

-- Advances the overdue watches, and the watches whose company is known by now.
drop function if exists customer.advance_watches(timestamptz, boolean);
create or replace function customer.advance_watches(moment timestamptz) returns void
language sql as $$
    select customer.advance_watches(
        array(
            select watch.watch_id
            from customer.watch
            where
                watch.state = 'queued'
                and (
                    watch.created_at <= moment - make_interval(days => customer.watch_days())
                    or registry.find_company(watch.identifier_type, watch.identifier_value) is not null
                )
        ),
        moment
    );
$$;

-- Returns the queued watches of the given numbers, a list of objects.
create or replace function customer.awaiting(numbers jsonb) returns bigint[]
language sql stable as $$
    select array(
        select watch.watch_id
        from jsonb_to_recordset(numbers) as asked (identifier_type text, identifier_value text)
        join customer.watch using (identifier_type, identifier_value)
        where watch.state = 'queued'
    );
$$;

-- Lists the accounts with numbers whose import is due: the count of numbers, and the time since which the oldest is
-- due.
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
