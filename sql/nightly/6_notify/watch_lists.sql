-- Adapts the watch lists to the new snapshot. This step precedes feeds.sql, so that a watch whose company becomes known
-- tonight gets tonight's events. alert_digests.sql then finds the accounts whose alert settings select an event.

-- Takes the lock of all watch lists, since transactions that lock the accounts of several customers could deadlock.
select registry.lock_until_commit('customer.watch');

select customer.lock_accounts(
    array(
        select watch.account_id
        from stage.merged_company
        join customer.watch using (company_id)
    )
);

-- Moves the feed rows of a merged company to the remaining company.
update customer.feed
set company_id = merged_company.into_company_id
from stage.merged_company
join customer.watch using (company_id)
where
    feed.account_id = watch.account_id
    and feed.company_id = merged_company.company_id;

-- Merges watches: if an account watches several of the merged companies, its oldest watch remains.
with watched as (
    select
        watch.watch_id,
        min(watch.watch_id) over (
            partition by watch.account_id, coalesce(merged_company.into_company_id, watch.company_id)
        ) as keeper_id
    from customer.watch
    left join stage.merged_company using (company_id)
    where watch.company_id in (
        select merged_company.company_id from stage.merged_company
        union
        select merged_company.into_company_id from stage.merged_company
    )
)

select customer.fold_watch(watched.watch_id, watched.keeper_id)
from watched
where watched.watch_id <> watched.keeper_id
order by watched.watch_id;

update customer.watch
set company_id = merged_company.into_company_id
from stage.merged_company
where watch.company_id = merged_company.company_id;

-- Marks queued watches as ready if their company is now known, marks watches that are too old as failed, and settles
-- submissions. After an import on demand, the worker advances only the watches of the imported numbers
-- (pipeline/import/ask-registries.ts).
select customer.advance_watches(night.published_at)
from stage.night
where not night.is_import;

-- Holds one row per account that watches a company with events tonight. The watching accounts stay locked until the
-- night is published, so that their watch lists do not change.
create unlogged table stage.watcher as
select distinct watch.account_id
from registry.event
join customer.watch using (company_id)
where
    event.event_date = (select night.dump_date from stage.night)
    and event.source = (select night.source from stage.night);

analyze stage.watcher;
select customer.lock_accounts(array(select watcher.account_id from stage.watcher));

-- Holds one row per event of the night whose company is watched, even by a watch that was added during the night.
create unlogged table stage.watched_event as
select event.*
from registry.event
where
    event.event_date = (select night.dump_date from stage.night)
    and event.source = (select night.source from stage.night)
    and exists (
        select from customer.watch
        where watch.company_id = event.company_id
    );

analyze stage.watched_event;
