-- Returns one row: the count of events in the feed of account $1, and a page of these events as JSON. The page has the
-- $6 events after the first $5, newest first. The events are of type $2, from date $3 to date $4, of the countries $7;
-- a null allows any value.
-- A late page costs as much as the first. The daily counts give the days of the page, and an index-only scan skips the
-- earlier events of its first day.
with day as materialized (
    select
        feed_count.event_date,
        sum(feed_count.event_count) as event_count,
        sum(sum(feed_count.event_count)) over (
            order by feed_count.event_date desc rows unbounded preceding
        ) as running_count
    from customer.feed_count
    where
        feed_count.account_id = $1::bigint
        -- The type '' counts the events of all types.
        and feed_count.event_type = coalesce($2::text, '')
        and ($7::text[] is null or feed_count.country_code = any($7::text[]))
        and feed_count.event_date
            between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')
    group by feed_count.event_date
),

shown_day as (
    select
        day.event_date,
        greatest($5::bigint - (day.running_count - day.event_count), 0)::bigint as skipped_count
    from day
    where
        day.running_count > $5::bigint
        and day.running_count - day.event_count < $5::bigint + $6::bigint
),

page as materialized (
    select feed.event_id
    from shown_day
    -- The constant limit is the highest $6: with a parameter alone the planner expects many more rows.
    cross join lateral (
        (
            select feed.event_id
            from customer.feed as feed
            where
                $7::text[] is null
                and $2::text is null
                and feed.account_id = $1::bigint
                and feed.event_date = shown_day.event_date
            order by feed.event_id desc
            limit 100 offset shown_day.skipped_count
        )
        union all
        (
            select feed.event_id
            from customer.feed as feed
            where
                $7::text[] is null
                and feed.event_type = $2::text
                and feed.account_id = $1::bigint
                and feed.event_date = shown_day.event_date
            order by feed.event_id desc
            limit 100 offset shown_day.skipped_count
        )
        union all
        -- The ids of a day and a country lie in few ranges. A skipped event costs a quarter of a microsecond.
        (
            select feed.event_id
            from (
                select min(feed.event_id) as first_id, max(feed.event_id) as last_id
                from customer.feed as feed
                where feed.account_id = $1::bigint and feed.event_date = shown_day.event_date
            ) as of_day
            join registry.event_range
                on event_range.first_event_id <= of_day.last_id
                and event_range.last_event_id >= of_day.first_id
                and event_range.country_code = any($7::text[])
            cross join lateral (
                select feed.event_id
                from customer.feed as feed
                where
                    feed.account_id = $1::bigint
                    and feed.event_date = shown_day.event_date
                    and feed.event_id between event_range.first_event_id and event_range.last_event_id
                    and feed.event_type = coalesce($2::text, feed.event_type)
                order by feed.event_id desc
                limit 100 + shown_day.skipped_count
            ) as feed
            where $7::text[] is not null
            order by feed.event_id desc
            limit 100 offset shown_day.skipped_count
        )
    ) as feed
    order by shown_day.event_date desc, feed.event_id desc
    limit $6::bigint
)

select
    (select coalesce(sum(day.event_count), 0)::float8 from day) as total,
    coalesce(json_agg(item)::text, '[]') as events
from (
    select feed_item.*
    from page
    cross join lateral customer.feed_item($1::bigint, page.event_id) as feed_item
    order by feed_item.event_date desc, feed_item.id desc
) as item
