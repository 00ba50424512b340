-- One row per registry that a dump of the day $1 was delivered for, in order: what became of it, as JSON.
-- At most $2 files and refused attempts, the first and the newest. No text of a person: of a reason only
-- its kind, of a guard its figures, and the operator's own words for what was accepted.
with attempt as (
    select
        run.*,
        (run.finished_at at time zone 'Europe/Warsaw')::date - run.dump_date as late_days
    from registry.run
    where run.dump_date = $1::date and run.state in ('published', 'refused')
),

-- A long number in the name of a file may be that of a person.
listed_file as (
    select
        run_file.*,
        regexp_replace(run_file.file, '[0-9]{9,}', '…', 'g') as shown_name,
        row_number() over (partition by run_file.run_id order by run_file.file) as place
    from attempt
    join registry.run_file using (run_id)
    where attempt.state = 'published'
)

select
    source.source,
    (
        select json_build_object(
            'published_at', to_char(run.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"'),
            'days_late', run.late_days,
            'is_baseline', run.is_baseline,
            'read', run.read_count,
            'accepted', run.accepted_count,
            'rejected', run.rejected_count,
            'entries', run.entry_count,
            'files_total', (select count(*) from listed_file where listed_file.run_id = run.run_id),
            'files', (
                select coalesce(
                    json_agg(
                        json_build_object(
                            'file', listed_file.shown_name,
                            'bytes', listed_file.byte_count,
                            'sha256', listed_file.sha256,
                            'read', listed_file.read_count,
                            'accepted', listed_file.entry_count,
                            'rejected', listed_file.rejected_count
                        )
                        order by listed_file.place
                    ),
                    '[]'
                )
                from listed_file
                where listed_file.run_id = run.run_id and listed_file.place <= $2
            ),
            'rejected_by_reason', (
                select case
                    when run.rejected_count = coalesce(sum(run_count.row_count), 0) then coalesce(
                        json_agg(
                            json_build_object('reason', run_count.subject, 'rows', run_count.row_count)
                            order by run_count.row_count desc, run_count.subject
                        ),
                        '[]'
                    )
                end
                from registry.run_count
                where run_count.run_id = run.run_id and run_count.kind = 'rejected'
            ),
            'accepted_refusal', case
                when jsonb_array_length(run.refusals) > 0 then json_build_object(
                    'reason', registry.shown_reason(run.reason),
                    'guards', registry.shown_guards(run.refusals)
                )
            end,
            'fields', (
                select coalesce(
                    json_agg(
                        json_build_object(
                            'field', fill.field,
                            'filled', fill.filled_count,
                            'share', registry.share(fill.filled_count, run.entry_count),
                            'change', registry.share(fill.filled_count, run.entry_count)
                            - registry.share(earlier.filled_count, previous.entry_count)
                        )
                        order by fill.filled_count desc, fill.field
                    ),
                    '[]'
                )
                from registry.fill
                left join registry.fill as earlier
                    on earlier.source = fill.source
                    and earlier.stat_date = previous.dump_date
                    and earlier.field = fill.field
                where fill.source = run.source and fill.stat_date = run.dump_date
            ),
            'compared_entries', (
                select run_count.row_count
                from registry.run_count
                where run_count.run_id = run.run_id and run_count.kind = 'written'
            ),
            'contradictions', (
                select coalesce(
                    json_agg(
                        json_build_object(
                            'source', compared.other_source,
                            'field', compared.subject,
                            'compared', compared.row_count,
                            'contradicted', coalesce(contradicted.row_count, 0)
                        )
                        order by compared.other_source, compared.subject
                    ),
                    '[]'
                )
                from registry.run_count as compared
                left join registry.run_count as contradicted
                    on contradicted.run_id = compared.run_id
                    and contradicted.kind = 'contradicted'
                    and contradicted.other_source = compared.other_source
                    and contradicted.subject = compared.subject
                where compared.run_id = run.run_id and compared.kind = 'compared'
            ),
            'corroborations', (
                select coalesce(
                    json_agg(
                        json_build_object(
                            'source', run_count.other_source,
                            'subject', run_count.subject,
                            'events', run_count.row_count
                        )
                        order by run_count.other_source, run_count.subject
                    ),
                    '[]'
                )
                from registry.run_count
                where run_count.run_id = run.run_id and run_count.kind = 'corroborated'
            )
        )
        from attempt as run
        left join lateral (
            select earlier.dump_date, earlier.entry_count
            from registry.run as earlier
            where
                earlier.source = run.source
                and earlier.state = 'published'
                and earlier.dump_date < run.dump_date
            order by earlier.dump_date desc
            limit 1
        ) as previous on true
        where run.source = source.source and run.state = 'published'
    ) as published,
    (
        select count(*)::integer
        from attempt
        where attempt.source = source.source and attempt.state = 'refused'
    ) as refusals_total,
    (
        select coalesce(
            json_agg(
                json_build_object(
                    'refused_at',
                    to_char(refused.finished_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"'),
                    'guards', registry.shown_guards(refused.refusals)
                )
                order by refused.run_id desc
            ),
            '[]'
        )
        from (
            select attempt.*
            from attempt
            where attempt.source = source.source and attempt.state = 'refused'
            order by attempt.run_id desc
            limit $2
        ) as refused
    ) as refusals
from (select distinct attempt.source from attempt) as source
order by source.source
