-- The tables that were loaded become the partitions of their source. Runs in the transaction that
-- publishes.
do $$
declare
    parent text;
    name text;
begin
    select night.source into name from stage.night;
    foreach parent in array array['entry', 'entry_key'] loop
        execute format('alter table stage.first_%s rename to %I', parent, parent || '_' || name);
        execute format('alter table stage.%I set schema registry', parent || '_' || name);
        -- Postgres need not look whether the rows belong there: a constraint says so.
        execute format(
            'alter table registry.%s attach partition registry.%I for values in (%L)',
            parent, parent || '_' || name, name
        );
        execute format(
            'alter table registry.%I drop constraint is_of_source', parent || '_' || name
        );
    end loop;
end;
$$;
