-- The schema of the facts of the registries, which the nightly pipeline alone writes and everybody reads.
create schema if not exists registry;

create extension if not exists unaccent schema registry;

-- The collation of registry.lower and registry.upper makes letter case independent of the locale of the database. The
-- locale C has ASCII capitals alone, and in Turkish the capital of i has a dot.
do $$
begin
    execute case
        when current_setting('server_version_num')::integer < 170000
            then $sql$create collation registry.unicode (provider = icu, locale = 'und')$sql$
        else $sql$create collation registry.unicode (provider = builtin, locale = 'C.UTF-8')$sql$
    end;
exception
    when feature_not_supported then
        raise 'this PostgreSQL is built without ICU: PostgreSQL 17 or newer does not need it';
end;
$$;

-- The schema of the stable read-only views for analysts.
create schema analyst;

-- One row per named lock, which a session or a transaction holds. The table is unlogged: a crash of the server ends all
-- sessions, and with them all locks.
create unlogged table registry.lock (
    lock_name text primary key,
    pid integer,
    session_started_at timestamptz
);
