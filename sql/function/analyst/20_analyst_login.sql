-- Creates the role `registry_reader`, which may read the views of `analyst` and nothing else. Without a password, the
-- role can log in only where the server trusts the connection. The login of an analyst can be a member of the role. If
-- the role cannot be created, a warning names the command for the administrator. Each `registry migrate` calls
-- `make_reader`, since a backup contains no roles.
create or replace procedure registry.make_reader()
language plpgsql as $$
begin
    if to_regrole('registry_reader') is null then
        begin
            create role registry_reader login;
            alter role registry_reader set default_transaction_read_only = on;
        exception
            -- Another database of the server may be creating the role too, since all databases share their roles.
            when duplicate_object or unique_violation then null;
        end;
    end if;
    if not exists (
        select
        from pg_catalog.pg_roles
        where rolname = 'registry_reader' and rolconfig::text ~ 'statement_timeout='
    ) then
        begin
            -- Aborts queries after ten minutes: a forgotten query would keep Postgres from removing old rows.
            alter role registry_reader set statement_timeout = '10min';
            alter role registry_reader set idle_in_transaction_session_timeout = '10min';
        exception
            when insufficient_privilege then
                raise warning 'The queries of registry_reader have no limit. '
                    'An administrator runs: alter role registry_reader set statement_timeout = ''10min'';';
        end;
    end if;
    grant usage on schema analyst to registry_reader;
    grant select on all tables in schema analyst to registry_reader;
    revoke all on analyst.wallet_transaction from registry_reader;
    alter default privileges in schema analyst grant select on tables to registry_reader;
exception
    when insufficient_privilege then
        raise warning 'There is no role registry_reader, because % may not create roles. '
            'An administrator runs: create role registry_reader login; then run registry migrate again',
            current_user;
end;
$$;
