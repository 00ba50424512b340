-- Attaches the table of first_entries.sql as the partition of its source, in the publishing transaction. An autovacuum
-- of the attached table may cause a deadlock, after which the step is retried.
do $$
declare
    source constant text := (select night.source from stage.night);
    partition constant text := 'entry_' || source;
begin
    for attempt in 1..10 loop
        begin
            execute format('alter table stage.%I set schema registry', partition);
            -- The check constraint proves that all rows belong to the source, so that Postgres does not scan the rows.
            execute format(
                'alter table registry.entry attach partition registry.%I for values in (%L)',
                partition, source
            );
            execute format('alter table registry.%I drop constraint is_of_source', partition);
            execute format('alter table registry.%I reset (autovacuum_enabled)', partition);
            return;
        exception
            when deadlock_detected then
                if attempt = 10 then
                    raise;
                end if;
                perform pg_sleep(0.1);
        end;
    end loop;
end;
$$;

-- Analyzes registry.entry, since the query plans of tonight and the next night depend on its statistics. Autovacuum may
-- run too late, and never analyzes the partitioned table as a whole.
set local default_statistics_target = 20;
analyze registry.entry (company_id, entry_id, source, entry_key, nip, regon9, krs, status, end_date);
set local default_statistics_target to default;
