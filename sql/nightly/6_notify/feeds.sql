-- Adds the events of the night to the feeds of the accounts that watch the companies. Clients read a feed in the order
-- of publication (registry.event_range), so that they miss no event of a night that ends later. For a webhook without
-- events of a night, pipeline/webhooks/message.ts makes the heartbeat. alert_digests.sql selects the events of alerts.

-- One statement writes the feeds and the event counts of the watches, so that feeds and counts always agree.
with stated as (
    update customer.watch
    set
        events_count = watch.events_count + happened.event_count,
        last_event_at = (select night.published_at from stage.night)
    from (
        select
            watched_event.company_id,
            count(*) as event_count
        from stage.watched_event
        group by watched_event.company_id
    ) as happened
    where
        watch.company_id = happened.company_id
        and watch.state = 'ready'
        and watch.account_id in (select watcher.account_id from stage.watcher)
    returning watch.account_id, watch.company_id
)

insert into customer.feed (account_id, event_id, company_id, event_date, event_type)
select
    stated.account_id, watched_event.event_id, watched_event.company_id,
    watched_event.event_date, watched_event.event_type
from stated
join stage.watched_event using (company_id)
order by stated.account_id, watched_event.event_id;
