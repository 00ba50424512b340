-- Returns one row: the first $4 events after event $3 that the filter $5 selects, as JSON for account $1, and the newest
-- published day of each registry. The parameter $2 is `watched` for the feed of the account, or `all` for the whole
-- registry without companies whose owner objects to being found.
-- Events come in the order of publication: by range of ids (registry.event_range), and within a range by id. An event
-- that is published later comes after $3, although its id may be smaller.
-- `last_event_id` is the position after the answer: its last event, or the last event that was read and left out, or
-- the last published event. One answer reads at most registry.feed_scan() events, so that a filter may leave it empty
-- although more events follow.
-- Returns no row where event $3 was not published. Such a position belongs to another database, and a client that
-- continued from it would silently miss events.
-- Scope and limit are hidden from the planner, so that all calls share one plan: planning takes longer than answering.
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

-- The query `page` takes these rows one by one, and most often ends before the last.
scanned as materialized (
    select part.snapshot_no, found.*
    from part
    -- The constant limit makes the planner read the events by the index of their ids.
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
        -- A scalar subquery costs two microseconds an event. A join might read all companies or objecting entries.
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

-- The position where the answer ends although more events may follow; null at the end of what is published.
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
