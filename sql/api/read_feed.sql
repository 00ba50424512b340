-- Returns one row: a part of a feed as JSON, and the newest published day of each registry. The part begins after the
-- event $3, and has the next $4 events that the filter $5 selects. The scope $2 is `watched` for the feed of the
-- account $1, or `all` for all companies whose owner does not object to being found. Events come in the order of
-- publication: by range of event ids (`registry.event_range`), and by id within a range. An event that is published
-- later comes later in the feed, even if its id is smaller. `last_event_id` is the event after which the next part
-- begins; the filter may have left out this event. One call reads at most `registry.feed_scan()` events, so a filter
-- may leave the part empty although more events follow. Returns no row if the event $3 was never published: such a
-- position is from another database, where events have other ids, so the client would miss events. The scope and the
-- limit are read from the query `asked`, so that the planner does not see them and all calls share one plan: planning
-- the query takes longer than reading the events.
with asked as materialized (
    select feed_filter.*, $2::text as scope, $4::int as item_limit
    from registry.feed_filter($5::jsonb)
),

known as materialized (
    select event_range.snapshot_no, event_range.last_event_id
    from registry.event_range
    where event_range.first_event_id <= $3::bigint
    order by event_range.first_event_id desc
    limit 1
),

part as materialized (
    select
        event_range.snapshot_no,
        case
            when event_range.snapshot_no = (select known.snapshot_no from known) then $3::bigint + 1
            else event_range.first_event_id
        end as first_id,
        event_range.last_event_id as last_id
    from registry.event_range
    cross join asked
    where
        event_range.snapshot_no >= coalesce((select known.snapshot_no from known), 0)
        and (asked.countries is null or event_range.country_code = any(asked.countries))
    order by event_range.snapshot_no
),

-- The query `page` reads the rows of `scanned` one by one, and usually ends before it has read all of them.
scanned as materialized (
    select part.snapshot_no, found.*
    from part
    -- The constant limit of each branch makes the planner read events by the index on `event_id`.
    cross join lateral (
        (
            select event.event_id, event.company_id, event.event_type, event.event_date, event.source
            from registry.event as event
            where
                (select asked.scope from asked) = 'all'
                and event.event_id between part.first_id and part.last_id
            order by event.event_id
            limit registry.feed_scan()
        )
        union all
        (
            select feed.event_id, feed.company_id, feed.event_type, feed.event_date, null
            from customer.feed as feed
            where
                (select asked.scope from asked) = 'watched'
                and feed.account_id = $1::bigint
                and feed.event_id between part.first_id and part.last_id
            order by feed.event_id
            limit registry.feed_scan()
        )
    ) as found
    limit registry.feed_scan()
),

page as materialized (
    select scanned.snapshot_no, scanned.event_id
    from asked
    cross join scanned
    where
        (asked.types is null or scanned.event_type = any(asked.types))
        and scanned.event_date between asked.from_date and asked.to_date
        -- A scalar subquery takes two microseconds an event; a join might read all companies or all objecting entries.
        and (
            asked.sources is null
            or coalesce(
                scanned.source,
                (select event.source from registry.event where event.event_id = scanned.event_id limit 1)
            ) = any(asked.sources)
        )
        and (
            asked.scope = 'watched'
            or (
                select true from registry.objecting_company
                where objecting_company.company_id = scanned.company_id
                limit 1
            ) is null
        )
        and (
            num_nonnulls(asked.regions, asked.legal_forms, asked.activities) = 0
            or (
                select true
                from registry.selected_company(
                    scanned.company_id, null, asked.regions, asked.legal_forms, asked.activities
                )
                limit 1
            )
        )
    limit (select asked.item_limit + 1 from asked)
),

listed as materialized (
    select array(select page.event_id from page order by page.snapshot_no, page.event_id) as event_ids
),

-- Finds the event at which the part ends although more events may follow; null if no event follows.
ending as materialized (
    select coalesce(
        case when cardinality(listed.event_ids) > $4::int then listed.event_ids[$4::int] end,
        (
            select scanned.event_id
            from scanned
            order by scanned.snapshot_no, scanned.event_id
            offset registry.feed_scan() - 1
        )
    ) as event_id
    from listed
)

select
    (
        select coalesce(json_agg(item)::text, '[]')
        from (
            select shown.event_id, feed_item.*
            from unnest(listed.event_ids[:$4::int]) with ordinality as shown (event_id, place)
            cross join lateral customer.feed_item($1::bigint, shown.event_id) as feed_item
            order by shown.place
        ) as item
    ) as events,
    coalesce(
        ending.event_id,
        (select part.last_id from part order by part.snapshot_no desc limit 1),
        $3::bigint
    ) as last_event_id,
    ending.event_id is not null as has_more,
    registry.published_days(asked.countries) as published
from asked
cross join listed
cross join ending
where
    $3::bigint = 0
    or $3::bigint <= (select known.last_event_id from known)
