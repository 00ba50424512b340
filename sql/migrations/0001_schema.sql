-- Facts of the registries: written by the nightly pipeline only, read by everybody.
create schema if not exists registry;

create extension if not exists unaccent schema registry;

-- Capital letters must not depend on the locale of the database: the locale C has ASCII capitals alone, and in
-- Turkish the capital of i has a dot. registry.lower and registry.upper use this collation.
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

-- Stable read-only views for analysts.
create schema analyst;

-- One row per lock, by its name. A session or a transaction holds it. A crash of the server ends all sessions, so
-- that the rows need not survive the crash.
create unlogged table registry.lock (
    lock_name text primary key,
    pid integer,
    session_started_at timestamptz
);
