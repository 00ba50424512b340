-- Locks that only the owner of the tables can take. Advisory locks and their keys are open to each role,
-- also to one that may only read.

-- Whether the session of a lock is still there. The start of a session is hidden from other roles, that of
-- the server is not: after a restart another role's session may have the pid.
create or replace function registry.is_held(lock registry.lock) returns boolean
language sql stable
return exists (
    select
    from pg_catalog.pg_stat_activity as session
    where
        session.pid = lock.pid
        and lock.session_started_at < pg_postmaster_start_time() is not true
        and coalesce(session.backend_start = lock.session_started_at, true)
);

-- Takes a lock for as long as the session lives; false while another session has it.
create or replace function registry.try_lock(name text) returns boolean
language plpgsql as $$
begin
    if exists (
        select
        from registry.lock
        where lock_name = name and pid <> pg_backend_pid() and registry.is_held(lock)
    ) then
        return false;
    end if;
    perform registry.lock_until_commit(name);
    -- Another session may have taken it meanwhile, which the list of sessions must show.
    perform pg_stat_clear_snapshot();
    update registry.lock
    set
        pid = session.pid,
        session_started_at = session.backend_start
    from pg_catalog.pg_stat_activity as session
    where
        lock.lock_name = name
        and session.pid = pg_backend_pid()
        and (lock.pid = session.pid or not registry.is_held(lock));
    return found;
end;
$$;

-- Takes several locks, or none of them where another session has one.
create or replace function registry.try_locks(names text[]) returns boolean
language plpgsql as $$
declare
    name text;
begin
    foreach name in array names loop
        if not registry.try_lock(name) then
            raise lock_not_available;
        end if;
    end loop;
    return true;
exception
    when lock_not_available then return false;
end;
$$;

-- Waits until no other transaction has this lock, and keeps it to the end of the transaction. Each name
-- makes a row that stays: the names must be few.
create or replace function registry.lock_until_commit(name text) returns void
language sql as $$
    insert into registry.lock (lock_name) values (name) on conflict do nothing;
    select from registry.lock where lock_name = name for update;
$$;
