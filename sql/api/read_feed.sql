-- One row: the first $4 events after event $3, as JSON for account $1. $2 is `all` for the events of the
-- whole registry, `watched` for the feed of the account. One more event is read to see whether there are
-- more.
-- No row for a position beyond the newest event. The position belongs to another database: with it a
-- client would silently miss events.
with page as materialized (
    -- The constant limit is the highest $4: with a parameter alone the planner expects many more rows.
    (
        select event.event_id
        from registry.event as event
        where $2::text = 'all' and event.event_id > $3::bigint
        order by event.event_id
        limit 1001
    )
    union all
    (
        select feed.event_id
        from customer.feed as feed
        where
            $2::text = 'watched'
            and feed.account_id = $1::bigint
            and feed.event_id > $3::bigint
        order by feed.event_id
        limit 1001
    )
    limit $4::bigint + 1
)

select
    coalesce(json_agg(item)::text, '[]') as events,
    coalesce(max(item.event_id), $3::bigint) as last_event_id,
    (select count(*) > $4::bigint from page) as has_more
from (
    select shown.event_id, feed_item.*
    from (select page.event_id from page order by page.event_id limit $4::bigint) as shown
    cross join lateral customer.feed_item($1::bigint, shown.event_id) as feed_item
    order by shown.event_id
) as item
having exists (
    select
    from registry.last_id
    where last_id.table_name = 'event' and last_id.last_id >= $3::bigint
)
