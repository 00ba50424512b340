-- The tables that were loaded become the partitions of their source. Runs in the transaction that
-- publishes.
do $$
declare
    parent text;
    name text;
    index_name text;
begin
    select night.source into name from stage.night;
    foreach parent in array array['entry', 'entry_key'] loop
        -- So that the next source finds their names free.
        for index_name in
            select pg_class.relname
            from pg_index
            join pg_class on pg_class.oid = pg_index.indexrelid
            where pg_index.indrelid = ('stage.first_' || parent)::regclass
        loop
            execute format(
                'alter index stage.%I rename to %I',
                index_name,
                regexp_replace(index_name, '^first_' || parent, parent || '_' || name)
            );
        end loop;
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
