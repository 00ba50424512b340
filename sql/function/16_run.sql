-- Returns the current state of a run. A killed process leaves its run `running` until the next run of the source
-- begins. Such a run is abandoned as soon as no session holds the lock of its source. The function has the rights of
-- the owner, since readers may not see the locks.
create or replace function registry.state_of(run registry.run) returns text
language sql stable security definer
begin atomic
    select case
        when
            run.state = 'running'
            and not exists (
                select
                from registry.lock
                where lock.lock_name = run.source and registry.is_held(lock)
            )
            then 'abandoned'
        else run.state
    end;
end;

-- Returns whether a run has read a day of the project's folder `fixtures`, whose companies and persons are invented.
create or replace function registry.is_invented(run registry.run) returns boolean
language sql stable
return coalesce(
    run.path like '%/fixtures/' || run.source || '/' || to_char(run.dump_date, 'YYYY-MM-DD'),
    false
);

-- Returns whether the snapshots of a month miss changes of some days. Such days precede the snapshot that the first
-- one is compared with, or follow the last snapshot.
create or replace function registry.is_partial_month(
    month_date date,
    compared_date date,
    last_date date
) returns boolean
language sql immutable parallel safe
return compared_date is null
or compared_date >= month_date
or last_date < month_date + interval '1 month - 1 day';

-- Lists one row per source and published dump date, with the counts of the run. New entries include imports on demand
-- since the previous dump. `days_covered` is the number of days since the previous snapshot.
create or replace view registry.daily_stat as
select
    run.source,
    run.dump_date as stat_date,
    run.new_count + (
        select coalesce(sum(imported.new_count), 0)::bigint
        from registry.run as imported
        where
            imported.source = run.source
            and imported.state = 'imported'
            and imported.run_id < run.run_id
            and imported.run_id > (
                select max(earlier.run_id)
                from registry.run as earlier
                where
                    earlier.source = run.source
                    and earlier.state = 'published'
                    and earlier.run_id < run.run_id
            )
    ) as new_count,
    run.updated_count,
    run.deleted_count,
    run.entry_count,
    run.is_baseline,
    run.dump_date - (
        select max(earlier.dump_date)
        from registry.run as earlier
        where
            earlier.source = run.source
            and earlier.state = 'published'
            and earlier.dump_date < run.dump_date
    ) as days_covered
from registry.run
where run.state = 'published';

-- Returns the timeline and the start of the writer. The epoch changes when a standby takes over and when the server
-- restarts, since the unlogged tables of a night are then empty.
create or replace function registry.epoch() returns text
language sql stable
return concat_ws(
    ' ', left(pg_walfile_name(pg_current_wal_lsn()), 8), pg_postmaster_start_time()
);

-- Returns the counts of the rejected rows of a run by code, as answers show them. Reasons are left out: a reason may
-- quote a row, and so name a person.
create or replace function registry.rejects_of(wanted_id bigint) returns jsonb
language sql stable parallel safe
return (
    select coalesce(
        jsonb_agg(
            jsonb_build_object('subject', reject_count.reject_code, 'count', reject_count.row_count)
            order by reject_count.row_count desc, reject_count.reject_code
        ),
        '[]'
    )
    from registry.reject_count
    where reject_count.run_id = wanted_id
);

-- Returns the name of a file without long numbers, which may identify a person.
create or replace function registry.shown_file(file text) returns text
language sql immutable parallel safe
return regexp_replace(file, '[0-9]{9,}', '…', 'g');

-- Returns the findings of guards, at most 100, without their sentences, which may quote a row.
create or replace function registry.shown_guards(refusals jsonb) returns jsonb
language sql immutable parallel safe
return (
    select coalesce(
        jsonb_agg(
            '{"field": null}' || finding.value - 'sentence'
            || jsonb_build_object('file', registry.shown_file(finding.value ->> 'file'))
        ),
        '[]'
    )
    from jsonb_array_elements(refusals) with ordinality as finding (value, place)
    where finding.place <= 100
);

-- Returns the reason that an operator gave for publication, without numbers and mail addresses.
create or replace function registry.shown_reason(reason text) returns text
language sql immutable parallel safe
return left(regexp_replace(reason, '([0-9][ -]?){8,}[0-9]|[^ ]+@[^ ]+', '…', 'g'), 500);
