-- Returns the current state of a run. The run of a killed process is stored as `running` until the next run of its
-- source begins. Returns `abandoned` for a run that is stored as `running` although no session holds the lock of its
-- source. `state_of` runs with the rights of the owner (`security definer`), since readers may not see the locks.
-- `abandonRuns` of pipeline/night/run-rows.ts stores the state `abandoned`.
create or replace function registry.state_of(run registry.run) returns text
language sql stable security definer
return case
    when
        run.state = 'running'
        and not exists (select from registry.lock where lock_name = run.source and registry.is_held(lock))
        then 'abandoned'
    else run.state
end;

-- Returns the id of the newest run that changed the entries of a source: a dump or an import on demand.
create or replace function registry.newest_run(source text) returns bigint
language sql stable
return (
    select max(run.run_id)
    from registry.run
    where run.source = newest_run.source and run.state in ('published', 'imported')
);

-- Returns whether a run has read invented data: a day of the project's folder `fixtures`.
create or replace function registry.is_invented(run registry.run) returns boolean
language sql stable
return coalesce(
    run.path like '%/fixtures/' || run.source || '/' || to_char(run.dump_date, 'YYYY-MM-DD'),
    false
);

-- Lists the newest published snapshot of each source; its columns are null for a source without a snapshot.
-- `refused_nights` is the number of nights since this snapshot in which a dump was refused.
create or replace view registry.newest_snapshot as
select
    source.source, source.country_code, source.time_zone,
    newest.run_id, newest.dump_date, newest.entry_count,
    (
        select count(distinct (run.started_at at time zone source.time_zone)::date)::integer
        from registry.run
        where
            run.source = source.source
            and run.state = 'refused'
            and run.run_id > coalesce(newest.run_id, 0)
    ) as refused_nights
from registry.source
left join lateral (
    select run.*
    from registry.run
    where run.source = source.source and run.state = 'published'
    order by run.dump_date desc
    limit 1
) as newest on true;

-- Returns the newest published day of each registry as JSON. If `countries` is null, selects all countries.
create or replace function registry.published_days(countries text[]) returns json
language sql stable
return (
    select coalesce(json_object_agg(source, dump_date order by source), '{}')
    from registry.newest_snapshot
    where dump_date is not null and (countries is null or country_code = any(countries))
);
