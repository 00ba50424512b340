-- One row: the count of events in the feed of account $1, and the next $6 events after the first $5, the
-- newest first, as JSON. Only events of type $2, from date $3 to date $4, of the countries $7, each null for
-- any.
-- A late page costs as much as the first: the daily counts give the day on which it begins, and an
-- index-only scan skips the earlier events of that day.
with day as materialized (
    select
        feed_count.event_date,
        feed_count.event_count,
        sum(feed_count.event_count::int) over (
            order by feed_count.event_date desc rows unbounded preceding
        ) as running_count
    from customer.feed_count
    where
        $7::text[] is null
        and feed_count.account_id = $1::bigint
        -- The type '' counts the events of all types.
        and feed_count.event_type = coalesce($2::text, '')
        and feed_count.event_date
            between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')
),

first_day as (
    select day.event_date, $5::bigint - (day.running_count - day.event_count) as skipped_count
    from day
    where day.running_count > $5::bigint
    order by day.event_date desc
    limit 1
),

-- There are no counts of a country: all of its events are counted, and sorted.
of_country as materialized (
    select feed.event_id, feed.event_date
    from registry.event_range
    join customer.feed
        on feed.account_id = $1::bigint
        and feed.event_id between event_range.first_event_id and event_range.last_event_id
    where
        event_range.country_code = any($7::text[])
        and feed.event_type = coalesce($2::text, feed.event_type)
        and feed.event_date between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')
),

page as materialized (
    select feed.event_id
    from first_day
    -- The constant limit is the highest $6: with a parameter alone the planner expects many more rows.
    cross join lateral (
        (
            select feed.event_id
            from customer.feed as feed
            where
                $2::text is null
                and feed.account_id = $1::bigint
                and feed.event_date between coalesce($3::date, '-infinity') and first_day.event_date
            order by feed.event_date desc, feed.event_id desc
            limit 100 offset first_day.skipped_count
        )
        union all
        (
            select feed.event_id
            from customer.feed as feed
            where
                feed.event_type = $2::text
                and feed.account_id = $1::bigint
                and feed.event_date between coalesce($3::date, '-infinity') and first_day.event_date
            order by feed.event_date desc, feed.event_id desc
            limit 100 offset first_day.skipped_count
        )
    ) as feed
    limit $6::bigint
),

of_country_page as (
    select of_country.event_id
    from of_country
    order by of_country.event_date desc, of_country.event_id desc
    limit $6::bigint offset $5::bigint
)

select
    (select coalesce(sum(day.event_count), 0)::float8 from day)
    + (select count(*) from of_country) as total,
    coalesce(json_agg(item)::text, '[]') as events
from (
    select feed_item.*
    from (table page union all table of_country_page) as page
    cross join lateral customer.feed_item($1::bigint, page.event_id) as feed_item
    order by feed_item.event_date desc, feed_item.id desc
) as item
