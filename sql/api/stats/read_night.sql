-- Returns one row per day of the given nights, the newest day first. The lists $1 and $2 give the source and the day of
-- each night. `nights` has the statistics of each night of the day. `types` counts the events of the day by event type,
-- the severest type first. `examples` has a few of the severest events of the day, at most two of each type, and only
-- events of legal persons with a KRS number; values about natural persons are left out. To limit the cost, only the 500
-- severest events of each source and day are read, with the severity `high` or above.
with night as (
    select night.source, night.event_date
    from unnest($1::text[], $2::date[]) as night (source, event_date)
),

counted as (
    select event_date, event_type.event_type, severity, severity.rank, count(*) as count
    from night
    join registry.event using (source, event_date)
    join registry.event_type using (event_type)
    join registry.severity using (severity)
    group by 1, 2, 3, 4
),

example as (
    select
        night.event_date, worst.severity, worst.rank, worst.event_id, worst.event_type,
        case when not is_private then worst.old_value end as old_value,
        case when not is_private then worst.new_value end as new_value,
        entry.name,
        entry.city,
        row_number() over (
            partition by night.event_date, worst.event_type order by worst.event_id
        ) as place
    from night
    cross join lateral (
        select event.*, event_type.category, severity, severity.rank
        from registry.event
        join registry.event_type using (event_type)
        join registry.severity using (severity)
        where
            (event.source, event.event_date) = (night.source, night.event_date)
            and severity.rank >= (select high.rank from registry.severity as high where high.severity = 'high')
        order by severity.rank desc, event.event_id
        limit 500
    ) as worst
    join registry.entry using (company_id, entry_id)
    cross join lateral registry.is_personal(worst.category, entry.entity_type) as is_private
    where entry.entity_type = 'LEGAL' and entry.krs is not null and entry.name is not null
)

select
    day.date,
    (
        select json_agg(shown order by shown.source)
        from (
            select daily_stat.*, run.event_count as events
            from night
            join analyst.daily_stat on (daily_stat.source, date) = (night.source, night.event_date)
            join registry.run
                on (run.source, run.dump_date, run.state) = (night.source, night.event_date, 'published')
            where night.event_date = day.date
        ) as shown
    ) as nights,
    (
        select coalesce(
            json_agg(counted order by counted.rank desc, counted.count desc, counted.event_type), '[]'
        )
        from counted
        where counted.event_date = day.date
    ) as types,
    (
        select coalesce(json_agg(shown order by shown.rank desc, shown.place, shown.event_id), '[]')
        from (
            select example.*
            from example
            where example.event_date = day.date and example.place <= 2
            order by example.rank desc, example.place, example.event_id
            limit 6
        ) as shown
    ) as examples
from (select distinct night.event_date as date from night) as day
order by day.date desc
