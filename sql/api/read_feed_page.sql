-- Returns one row: a page of the events in the feed of the account $1 that the filter $2 selects, as JSON. The row also
-- has the number of selected events, and the newest published day of each registry. The page skips the newest $3
-- selected events and has the next $4 events, newest first. The planner sees the values of the parameters, so it drops
-- the conditions of absent filter fields, and reads only the index of `customer.feed` that the other conditions need.
with asked as materialized (
    select feed_filter.* from registry.feed_filter($2::jsonb)
),

-- Collects the event ids of the countries that the filter excludes; null if these countries have no events.
other_country as materialized (
    select range_agg(int8range(event_range.first_event_id, event_range.last_event_id, '[]')) as event_ids
    from asked
    join registry.event_range on event_range.country_code <> all(asked.countries)
),

company as materialized (
    select company.company_id
    from asked
    cross join customer.watch
    cross join lateral registry.selected_company(
        watch.company_id, null, asked.regions, asked.legal_forms, asked.activities
    ) as company
    where watch.account_id = $1::bigint
),

selected as not materialized (
    select feed.event_id, feed.event_date
    from customer.feed
    where
        feed.account_id = $1::bigint
        and feed.event_date >= coalesce(($2::jsonb ->> 'from_date')::date, '-infinity')
        and feed.event_date <= coalesce(($2::jsonb ->> 'to_date')::date, 'infinity')
        and (
            not $2::jsonb ?| '{event_types,severities,event_classes,categories}'
            or feed.event_type = any((select asked.types from asked)::text[])
        )
        and (
            not $2::jsonb ? 'countries'
            or (select other_country.event_ids is null from other_country)
            or not feed.event_id <@ (select other_country.event_ids from other_country)
        )
        and (
            not $2::jsonb ?| '{regions,legal_forms,activity_prefixes}'
            or feed.company_id = any(array(select company.company_id from company))
        )
        and (
            not $2::jsonb ? 'sources'
            or (select event.source from registry.event where event.event_id = feed.event_id limit 1)
            = any((select asked.sources from asked)::text[])
        )
),

-- Reads the events of a filter that selects few events (at most `registry.feed_scan()`). Without this query, the
-- planner would expect many events, and search the whole feed in the order of the page.
few as materialized (
    select selected.event_id, selected.event_date
    from selected
    where (select $2::jsonb - 'countries' <> '{}' or other_country.event_ids is not null from other_country)
    limit registry.feed_scan() + 1
),

-- Counts the selected events; without a filter, adds up `events_count` of the account's watches instead.
counted as materialized (
    select
        case
            when $2::jsonb - 'countries' = '{}' and other_country.event_ids is null
                then (
                    select coalesce(sum(watch.events_count), 0)::bigint
                    from customer.watch
                    where watch.account_id = $1::bigint
                )
            when read.event_count <= registry.feed_scan() then read.event_count
            else (select count(*) from selected)
        end as total,
        read.event_count between 1 and registry.feed_scan() as is_few
    from other_country
    cross join (select count(*) as event_count from few) as read
),

-- If the page is in the second half of the selected events, reads the events in reverse order, which skips fewer rows.
page as materialized (
    select part.event_id
    from (
        (
            select few.event_id
            from few
            where (select counted.is_few from counted)
            order by few.event_date desc, few.event_id desc
            limit $4::bigint offset $3::bigint
        )
        union all
        (
            select selected.event_id
            from selected
            where (select not counted.is_few and $3::bigint < (counted.total + 1) / 2 from counted)
            order by selected.event_date desc, selected.event_id desc
            limit $4::bigint offset $3::bigint
        )
        union all
        (
            select selected.event_id
            from selected
            where (select not counted.is_few and $3::bigint >= (counted.total + 1) / 2 from counted)
            order by selected.event_date, selected.event_id
            limit (select greatest(least($4::bigint, counted.total - $3::bigint), 0) from counted)
            offset (select greatest(counted.total - $3::bigint - $4::bigint, 0) from counted)
        )
    ) as part
    limit $4::bigint
)

select
    (select counted.total::float8 from counted) as total,
    coalesce(json_agg(item)::text, '[]') as events,
    (select registry.published_days(asked.countries) from asked) as published
from (
    select feed_item.*
    from page
    cross join lateral customer.feed_item($1::bigint, page.event_id) as feed_item
    order by feed_item.event_date desc, feed_item.id desc
) as item
