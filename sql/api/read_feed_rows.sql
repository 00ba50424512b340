-- Answers as api/read_feed_page.sql, with the same parameters, for any filter: reads the rows of the feed of the watched
-- companies that the filter selects, with the event of each row if the filter has sources.
with asked as materialized (
    select feed_filter.* from registry.feed_filter($2::jsonb)
),

selected as materialized (
    select feed.event_id, feed.event_date
    from asked
    cross join lateral (
        select feed.*
        from customer.watch
        cross join lateral registry.selected_company(
            watch.company_id, asked.countries, asked.regions, asked.legal_forms, asked.activities
        ) as company
        join customer.feed on feed.account_id = $1::bigint and feed.company_id = company.company_id
        where
            watch.account_id = $1::bigint
            and num_nonnulls(asked.countries, asked.regions, asked.legal_forms, asked.activities) > 0
        union all
        -- Events are read in the order of their table.
        select feed.*
        from customer.feed
        where
            feed.account_id = $1::bigint
            and num_nonnulls(asked.countries, asked.regions, asked.legal_forms, asked.activities) = 0
    ) as feed
    where
        (asked.types is null or feed.event_type = any(asked.types))
        and feed.event_date between asked.from_date and asked.to_date
        and (
            asked.sources is null
            or (
                select event.source from registry.event where event.event_id = feed.event_id limit 1
            ) = any(asked.sources)
        )
)

select
    (select count(*)::float8 from selected) as total,
    coalesce(json_agg(item)::text, '[]') as events,
    (select registry.published_days(asked.countries) from asked) as published
from (
    select feed_item.*
    from (
        select selected.event_id
        from selected
        order by selected.event_date desc, selected.event_id desc
        limit $4::bigint offset $3::bigint
    ) as page
    cross join lateral customer.feed_item($1::bigint, page.event_id) as feed_item
    order by feed_item.event_date desc, feed_item.id desc
) as item
