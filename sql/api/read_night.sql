-- Returns one row: the results of the nights of the sources $1 and days $2. `nights` lists the counts of each night.
-- `types` counts the events of each day by type, the worst first. `examples` are a few of the worst events of each
-- day. Examples are of companies in KRS, where no entry is a natural person's, and lack values about persons. The
-- query reads only the 500 worst events of a source and day, with the severity high or above, which limits the cost.
with night as (
    select night.source, night.event_date
    from unnest($1::text[], $2::date[]) as night (source, event_date)
),

counted as (
    select found.event_date, found.event_type, event_type.severity, severity.rank, found.count
    from (
        select event_date, event.event_type, count(*) as count
        from night
        join registry.event using (source, event_date)
        group by event_date, event.event_type
    ) as found
    join registry.event_type using (event_type)
    join registry.severity using (severity)
),

example as (
    select
        night.event_date, worst.severity, worst.rank, worst.event_id, worst.event_type,
        case when not registry.is_personal(worst.category, entry.entity_type) then worst.old_value end
            as old_value,
        case when not registry.is_personal(worst.category, entry.entity_type) then worst.new_value end
            as new_value,
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
    where entry.entity_type = 'LEGAL' and entry.krs is not null and entry.name is not null
)

select
    (
        select json_agg(
            json_build_object(
                'source', daily_stat.source,
                'date', daily_stat.date,
                'entry_count', daily_stat.entry_count,
                'is_baseline', daily_stat.is_baseline,
                'new', daily_stat.new,
                'updated', daily_stat.updated,
                'deleted', daily_stat.deleted,
                'events', run.event_count
            )
            order by daily_stat.source
        )
        from night
        join analyst.daily_stat
            on (daily_stat.source, daily_stat.date) = (night.source, night.event_date)
        join registry.run
            on (run.source, run.dump_date, run.state) = (night.source, night.event_date, 'published')
    ) as nights,
    (
        select coalesce(
            json_agg(counted order by counted.rank desc, counted.count desc, counted.event_type), '[]'
        )
        from counted
    ) as types,
    (
        select coalesce(json_agg(shown order by shown.rank desc, shown.place, shown.event_id), '[]')
        from (
            select
                example.*,
                row_number() over (
                    partition by event_date order by rank desc, place, event_id
                ) as place_of_day
            from example
            where place <= 2
        ) as shown
        where place_of_day <= 6
    ) as examples
