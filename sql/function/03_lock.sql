-- Defines locks that only the owner of the database can take. Advisory locks of PostgreSQL do not suffice: any role,
-- even a read-only role, can see and take them.

-- Returns whether the session that took a lock still exists. A role cannot see when another role's session started, but
-- sees when the server started. A lock from before a server restart is not held, even if a session has its pid.
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

-- Takes a lock that the session holds until the session ends. Returns false while another session holds the lock.
create or replace function registry.try_lock(name text) returns boolean
language plpgsql as $$
begin
    -- A waiting session calls `try_lock` often, so that `try_lock` writes nothing while another session holds the lock.
    if exists (
        select
        from registry.lock
        where lock_name = name and pid <> pg_backend_pid() and registry.is_held(lock)
    ) then
        return false;
    end if;
    perform registry.lock_until_commit(name);
    -- Reads the list of sessions anew, since another session may have taken the lock while this session waited.
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

-- Waits until no other transaction holds the lock `name`, then holds the lock until the transaction ends. Each lock
-- name adds a permanent row to registry.lock, so that only a few names may be used.
create or replace function registry.lock_until_commit(name text) returns void
language sql as $$
    insert into registry.lock (lock_name) values (name) on conflict do nothing;
    select from registry.lock where lock_name = name for update;
$$;
