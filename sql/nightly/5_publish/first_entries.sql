-- Fills a table with the entries of a source that has no entries yet, in parallel with the publishing transaction. The
-- table becomes the partition of the source in first_attach.sql. Autovacuum is off, so that it does not lock the table.
-- At wal_level minimal, filling a table in the transaction that created it writes no WAL. The other parallel steps of
-- the night end before the last indexes are built, so that a second process can help with the indexes.
set local max_parallel_maintenance_workers = 1;

do $$
declare
    source constant text := (select night.source from stage.night);
    partition constant text := 'entry_' || source;
    -- Lists the columns that are null in all rows of the sample that reject.sql has analyzed.
    empty constant text[] := array(
        select pg_stats.attname
        from pg_stats
        where pg_stats.schemaname = 'stage' and pg_stats.tablename = 'entry' and pg_stats.null_frac = 1
    );
    statement text;
begin
    execute format(
        'create table stage.%I (
            like registry.entry including constraints,
            constraint is_of_source check (source = %L)
        ) with (autovacuum_enabled = false)',
        partition, source
    );
    -- Before the insert, creates the partial indexes that cover few entries. Creating a partial index after the insert
    -- takes seven times as long, since it scans all entries.
    for statement in
        select format(step.statement, partition)
        from (
            values
            (1, 'create index on stage.%I (company_id) where is_partial'),
            -- Indexes the dates of announced ends and strike-offs, which take effect without a new record.
            (
                1,
                'create index on stage.%I (least(end_date, struck_off_date))
                where least(end_date, struck_off_date) is not null and status <> ''DELETED'''
            ),
            -- Indexes the dates of announced suspensions, which take effect without a new record.
            (
                1,
                'create index on stage.%I (suspension_date)
                where declared_status = ''SUSPENDED'' and status = ''ACTIVE'''
            ),
            (
                case when 'krs' = any(empty) then 1 else 3 end,
                'create index on stage.%I (krs) where krs is not null'
            ),
            (
                case when 'numbers' = any(empty) then 1 else 3 end,
                'create index on stage.%I using gin (numbers jsonb_path_ops) where numbers is not null'
            ),
            (2, 'insert into stage.%I select new_entry.* from stage.new_entry'),
            (3, 'alter table stage.%I add primary key (company_id, entry_id)'),
            (3, 'create unique index on stage.%I (entry_key)'),
            (3, 'create index on stage.%I (nip) where nip is not null'),
            (3, 'create index on stage.%I (regon9) where regon9 is not null')
        ) as step (place, statement)
        order by step.place
    loop
        execute statement;
    end loop;
end;
$$;
