-- Returns one row: the count of events in the feed of account $1 that the filter $2 selects, a page of these events as
-- JSON, and the newest published day of each registry. The page has the $4 events after the first $3, newest first. The
-- filter has no part that needs the events or companies themselves: api/read_feed_rows.sql reads these.
-- A late page costs as much as the first. The daily counts give the days of the page, and an index-only scan skips the
-- earlier events of its first day.
with asked as materialized (
    select feed_filter.* from registry.feed_filter($2::jsonb)
),

-- `earlier_count` counts the events of later days, which earlier pages list.
day as materialized (
    select
        feed_count.event_date,
        sum(feed_count.event_count) as event_count,
        sum(sum(feed_count.event_count)) over (order by feed_count.event_date desc)
        - sum(feed_count.event_count) as earlier_count
    from asked
    cross join customer.feed_count
    where
        feed_count.account_id = $1::bigint
        -- The type '' counts the events of all types.
        and feed_count.event_type = any(coalesce(asked.types, '{""}'))
        and (asked.countries is null or feed_count.country_code = any(asked.countries))
        and feed_count.event_date between asked.from_date and asked.to_date
    group by feed_count.event_date
),

page as materialized (
    select feed.event_id
    from asked
    cross join day
    cross join lateral (
        select greatest($3::bigint - day.earlier_count, 0)::bigint as skipped_count
    ) as part
    cross join lateral (
        (
            select feed.event_id
            from customer.feed as feed
            where
                asked.countries is null
                and asked.types is null
                and feed.account_id = $1::bigint
                and feed.event_date = day.event_date
            order by feed.event_id desc
            limit registry.page_items() offset part.skipped_count
        )
        union all
        (
            select feed.event_id
            from unnest(asked.types) as type (event_type)
            cross join lateral (
                select feed.event_id
                from customer.feed as feed
                where
                    feed.event_type = type.event_type
                    and feed.account_id = $1::bigint
                    and feed.event_date = day.event_date
                order by feed.event_id desc
                limit registry.page_items() + part.skipped_count
            ) as feed
            where asked.countries is null
            order by feed.event_id desc
            limit registry.page_items() offset part.skipped_count
        )
        union all
        -- The ids of a day and a country lie in few ranges. A skipped event costs a quarter of a microsecond.
        (
            select feed.event_id
            from (
                select min(feed.event_id) as first_id, max(feed.event_id) as last_id
                from customer.feed as feed
                where feed.account_id = $1::bigint and feed.event_date = day.event_date
            ) as of_day
            join registry.event_range
                on event_range.first_event_id <= of_day.last_id
                and event_range.last_event_id >= of_day.first_id
                and event_range.country_code = any(asked.countries)
            cross join lateral (
                select feed.event_id
                from customer.feed as feed
                where
                    feed.account_id = $1::bigint
                    and feed.event_date = day.event_date
                    and feed.event_id between event_range.first_event_id and event_range.last_event_id
                    and (asked.types is null or feed.event_type = any(asked.types))
                order by feed.event_id desc
                limit registry.page_items() + part.skipped_count
            ) as feed
            where asked.countries is not null
            order by feed.event_id desc
            limit registry.page_items() offset part.skipped_count
        )
    ) as feed
    where
        day.earlier_count + day.event_count > $3::bigint
        and day.earlier_count < $3::bigint + $4::bigint
    order by day.event_date desc, feed.event_id desc
    limit $4::bigint
)

select
    (select coalesce(sum(day.event_count), 0)::float8 from day) as total,
    coalesce(json_agg(item)::text, '[]') as events,
    (select registry.published_days(asked.countries) from asked) as published
from (
    select feed_item.*
    from page
    cross join lateral customer.feed_item($1::bigint, page.event_id) as feed_item
    order by feed_item.event_date desc, feed_item.id desc
) as item
