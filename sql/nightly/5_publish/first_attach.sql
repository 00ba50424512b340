-- Attaches the table of first_entries.sql as the partition of its source, in the transaction that publishes. An
-- autovacuum of these tables may win a deadlock: the step is then retried.
do $$
declare
    source constant text := (select night.source from stage.night);
    partition constant text := 'entry_' || source;
begin
    for attempt in 1..10 loop
        begin
            execute format('alter table stage.%I set schema registry', partition);
            -- The check constraint proves that all rows are of the source, so Postgres need not scan them.
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

-- Analyzes registry.entry, since the plans of this night and the next one depend on statistics. Autovacuum may come
-- too late, and never analyzes the partitioned table as a whole.
set local default_statistics_target = 20;
analyze registry.entry (company_id, entry_id, source, entry_key, nip, regon9, krs, status, end_date);
set local default_statistics_target to default;
