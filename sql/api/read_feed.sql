-- Returns one row: the first $4 events after event $3, as JSON for account $1, and the newest published day of each
-- registry. The parameter $2 is `watched` for the feed of the account, or `all` for the whole registry without
-- companies whose owner objects to being found. The row covers the countries $5; null covers all countries. One event
-- beyond $4 is read to see whether more events follow.
-- Events come in the order of publication: range after range, and within a range by id. An event that is published
-- later comes after $3, although its id may be smaller.
-- Returns no row where event $3 was not published. Such a position belongs to another database, and a client that
-- continued from it would silently miss events.
with known as materialized (
    select event_range.snapshot_no
    from registry.event_range
    where event_range.first_event_id <= $3::bigint
    order by event_range.first_event_id desc
    limit 1
),

part as materialized (
    select
        event_range.snapshot_no,
        greatest(
            event_range.first_event_id,
            case
                when event_range.snapshot_no = (select known.snapshot_no from known) then $3::bigint + 1
            end
        ) as first_id,
        event_range.last_event_id as last_id
    from registry.event_range
    where
        event_range.snapshot_no >= coalesce((select known.snapshot_no from known), 0)
        and ($5::text[] is null or event_range.country_code = any($5::text[]))
    order by event_range.snapshot_no
),

page as materialized (
    select part.snapshot_no, found.event_id
    from part
    -- The constant limit is the highest $4: with a parameter alone the planner expects many more rows.
    cross join lateral (
        (
            select event.event_id
            from registry.event as event
            where
                $2::text = 'all'
                and event.event_id between part.first_id and part.last_id
                -- A scalar subquery costs two microseconds an event, in an index of objecting entries alone. A join
                -- might read all objecting entries.
                and (
                    select true from registry.objecting_company
                    where objecting_company.company_id = event.company_id
                    limit 1
                ) is null
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
                and feed.event_id between part.first_id and part.last_id
            order by feed.event_id
            limit 1001
        )
    ) as found
    limit $4::bigint + 1
),

shown as materialized (
    select page.event_id, row_number() over (order by page.snapshot_no, page.event_id) as place
    from page
    order by place
    limit $4::bigint
)

select
    coalesce(json_agg(item)::text, '[]') as events,
    coalesce(
        (select shown.event_id from shown order by shown.place desc limit 1), $3::bigint
    ) as last_event_id,
    (select count(*) > $4::bigint from page) as has_more,
    (
        select coalesce(json_object_agg(source.source, newest.dump_date order by source.source), '{}')
        from registry.source
        cross join lateral (
            select max(run.dump_date) as dump_date
            from registry.run
            where run.source = source.source and run.state = 'published'
        ) as newest
        where
            newest.dump_date is not null
            and ($5::text[] is null or source.country_code = any($5::text[]))
    ) as published
from (
    select shown.event_id, feed_item.*
    from shown
    cross join lateral customer.feed_item($1::bigint, shown.event_id) as feed_item
    order by shown.place
) as item
having
    $3::bigint = 0
    or exists (
        select
        from registry.event_range
        where $3::bigint between event_range.first_event_id and event_range.last_event_id
    )
