-- Returns the result of a night as JSON, one row per registry of the countries $3 with a dump of the day $1. Each row
-- lists at most $2 files of the dump and at most $2 refused attempts to publish it, the newest. Reasons of rejects and
-- sentences of guards are left out, since they may quote personal data from a row. `…` replaces a long number in the
-- name of a file, and a long number or a mail address in an operator's reason for accepting a refused dump.
with attempt as (
    select
        run.*,
        shown.guards,
        country.time_zone,
        to_char(run.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"') as ended_at,
        row_number() over (partition by run.source, run.state order by run.run_id desc) as place
    from registry.run
    join registry.country on country.country_code = registry.source_country(run.source)
    cross join lateral (
        select coalesce(
            jsonb_agg(
                '{"field": null}' || finding.value - 'sentence' || jsonb_build_object(
                    'file', regexp_replace(finding.value ->> 'file', '[0-9]{9,}', '…', 'g')
                )
            ),
            '[]'
        ) as guards
        from jsonb_array_elements(run.refusals) with ordinality as finding (value, place)
        where finding.place <= 100
    ) as shown
    where
        run.dump_date = $1::date
        and run.state in ('published', 'refused')
        and country.country_code = any($3::text[])
),

published as (
    select
        run.run_id,
        run.ended_at as published_at,
        (run.finished_at at time zone run.time_zone)::date - run.dump_date as days_late,
        run.is_baseline, run.read_count as read, run.accepted_count as accepted,
        run.rejected_count as rejected, run.entry_count as entries, file.files_total,
        coalesce(file.files, '[]') as files,
        (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object('subject', reject_code, 'count', row_count)
                    order by row_count desc, reject_code
                ),
                '[]'
            )
            from registry.reject_count
            where reject_count.run_id = run.run_id
        ) as rejected_by_reason,
        case
            when jsonb_array_length(run.refusals) > 0 then jsonb_build_object(
                'reason',
                left(regexp_replace(run.reason, '([0-9][ -]?){8,}[0-9]|[^ ]+@[^ ]+', '…', 'g'), 500),
                'guards', run.guards
            )
        end as accepted_refusal
    from attempt as run
    cross join lateral (
        select
            count(*) as files_total,
            json_agg(
                json_build_object(
                    'file', regexp_replace(listed.file, '[0-9]{9,}', '…', 'g'),
                    'bytes', listed.byte_count, 'sha256', listed.sha256, 'read', listed.read_count,
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
    jsonb_agg(to_jsonb(published) - 'run_id') filter (where state = 'published') -> 0 as published,
    count(*) filter (where state = 'refused')::integer as refusals_total,
    coalesce(
        json_agg(json_build_object('refused_at', ended_at, 'guards', guards) order by run_id desc)
            filter (where state = 'refused' and place <= $2),
        '[]'
    ) as refusals
from attempt
left join published using (run_id)
group by source
order by source
