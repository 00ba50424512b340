-- Returns the result of a night as JSON, one row per registry of the countries $3 with a dump of the day $1.
-- At most the first $2 files and the newest $2 refused attempts are shown. No text of a person is shown: only reject
-- codes, guard figures, and the operator's own words for an accepted refusal.
with attempt as (
    select
        run.*,
        country.time_zone,
        to_char(run.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as ended_at,
        row_number() over (partition by run.source, run.state order by run.run_id desc) as place
    from registry.run
    join registry.country on country.country_code = registry.source_country(run.source)
    where
        run.dump_date = $1::date
        and run.state in ('published', 'refused')
        and country.country_code = any($3::text[])
),

refusal as (
    select
        attempt.source,
        count(*)::integer as refusals_total,
        json_agg(
            json_build_object(
                'refused_at', attempt.ended_at, 'guards', registry.shown_guards(attempt.refusals)
            )
            order by attempt.run_id desc
        ) filter (where attempt.place <= $2) as refusals
    from attempt
    where attempt.state = 'refused'
    group by attempt.source
),

published as (
    select
        run.source,
        run.ended_at as published_at,
        (run.finished_at at time zone run.time_zone)::date - run.dump_date as days_late,
        run.is_baseline,
        run.read_count as read,
        run.accepted_count as accepted,
        run.rejected_count as rejected,
        run.entry_count as entries,
        file.files_total,
        coalesce(file.files, '[]') as files,
        registry.rejects_of(run.run_id) as rejected_by_reason,
        case
            when jsonb_array_length(run.refusals) > 0 then jsonb_build_object(
                'reason', registry.shown_reason(run.reason),
                'guards', registry.shown_guards(run.refusals)
            )
        end as accepted_refusal
    from attempt as run
    cross join lateral (
        select
            count(*) as files_total,
            json_agg(
                json_build_object(
                    'file', registry.shown_file(listed.file), 'bytes', listed.byte_count,
                    'sha256', listed.sha256, 'read', listed.read_count,
                    'accepted', listed.entry_count, 'rejected', listed.rejected_count
                )
                order by listed.file
            ) filter (where listed.place <= $2) as files
        from (
            select run_file.*, row_number() over (order by run_file.file) as place
            from registry.run_file
            where run_file.run_id = run.run_id
        ) as listed
    ) as file
    where run.state = 'published'
)

select
    source,
    to_jsonb(published) - 'source' as published,
    coalesce(refusal.refusals_total, 0) as refusals_total,
    coalesce(refusal.refusals, '[]') as refusals
from published
full join refusal using (source)
order by source
