-- Assigns ids and snapshot numbers to runs. The nightly runs of several registries do not wait for each other: ids are
-- reserved in separate transactions, and a run's last step gives its snapshot a number. 16_run.sql has the functions for
-- the states of runs and for the published days (`meta.published` of API responses).

-- Reserves ids for a run, and returns the id before the first reserved id. If a run fails after a later run has
-- reserved ids, the ids of the failed run stay unused.
create or replace function registry.reserve_ids(run_id bigint, kind text, id_count bigint) returns bigint
language plpgsql as $$
declare
    end_id bigint;
begin
    update registry.last_id
    set last_id = last_id.last_id + id_count
    where last_id.table_name = kind
    returning last_id.last_id into end_id;
    if id_count > 0 then
        insert into registry.reserved_id (run_id, table_name, first_id, last_id)
        values (reserve_ids.run_id, kind, end_id - id_count + 1, end_id);
    end if;
    return end_id - id_count;
end;
$$;

-- Frees the ids that a run has reserved and not published, unless a later run has reserved ids since.
create or replace function registry.give_back_ids(wanted_id bigint) returns void
language sql as $$
    with returned as (
        delete from registry.reserved_id
        where reserved_id.run_id = wanted_id
        returning *
    )

    update registry.last_id
    set last_id = returned.first_id - 1
    from returned
    where last_id.table_name = returned.table_name and last_id.last_id = returned.last_id;
$$;

-- Returns the number that the current transaction writes to `changed_snapshot_no` of the companies that it changes. A
-- transaction that publishes a snapshot first stores this number in the setting `registry.change_no`; the snapshot's
-- own number is never smaller than `registry.change_no`.
create or replace function registry.next_snapshot_no() returns bigint
language sql stable
return coalesce(
    nullif(current_setting('registry.change_no', true), '')::bigint,
    (select last_id.last_id + 1 from registry.last_id where last_id.table_name = 'snapshot')
);

-- Ends a publishing transaction, and gives its snapshot a number. Records the id range of a country's new events, if
-- the night has new events. `end_publication` must be called last, since it blocks other publications until the commit.
create or replace function registry.end_publication(
    new_first_id bigint default null,
    new_last_id bigint default null,
    new_country text default null
) returns void
language plpgsql as $$
declare
    own_change_no constant bigint := registry.next_snapshot_no();
    own_snapshot_no bigint;
begin
    update registry.last_id
    set last_id = last_id.last_id + 1
    where last_id.table_name = 'snapshot'
    returning last_id.last_id into own_snapshot_no;
    insert into registry.publication (snapshot_no, change_no)
    values (own_snapshot_no, own_change_no);
    if new_first_id <= new_last_id then
        update registry.event_range
        set last_event_id = new_last_id
        where
            event_range.snapshot_no = (select max(event_range.snapshot_no) from registry.event_range)
            and event_range.last_event_id = new_first_id - 1
            and event_range.country_code = new_country;
        if not found then
            insert into registry.event_range (snapshot_no, first_event_id, last_event_id, country_code)
            values (own_snapshot_no, new_first_id, new_last_id, new_country);
        end if;
    end if;
end;
$$;

-- Returns the epoch of the writing database server: the server's WAL timeline and start time. The epoch changes when a
-- standby takes over or the server restarts: both can empty the unlogged tables of a night.
create or replace function registry.epoch() returns text
language sql stable return concat_ws(' ', left(pg_walfile_name(pg_current_wal_lsn()), 8), pg_postmaster_start_time());
