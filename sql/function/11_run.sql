-- The state of a run as it is now. A killed process leaves its run `running` until the next run of the
-- source begins. Such a run is abandoned as soon as no session holds the lock of its source
-- (pipeline/night/lock.ts; the class is 'regi' in ASCII).
create or replace function registry.state_of(run registry.run) returns text
language sql stable parallel safe
begin atomic
    select case
        when
            run.state = 'running'
            and not exists (
                select
                from pg_catalog.pg_locks as held
                join pg_catalog.pg_database as here on here.oid = held.database
                where
                    held.locktype = 'advisory'
                    and held.granted
                    and here.datname = current_database()
                    and held.classid::bigint = x'72656769'::bigint
                    and held.objid::bigint::bit(32) = hashtext(run.source)::bit(32)
            )
            then 'abandoned'
        else run.state
    end;
end;
