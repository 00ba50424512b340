-- Fills a table with the entries of a source that has none yet, in parallel with the transaction that
-- publishes; first_attach.sql makes this table the partition of the source. Autovacuum is off, so that it does
-- not lock the table. A table that is created and filled in one transaction needs no WAL at wal_level
-- minimal. The parallel steps end before the indexes are built, so that a second process can help.
set local max_parallel_maintenance_workers = 1;

do $$
declare
    source constant text := (select night.source from stage.night);
    partition constant text := 'entry_' || source;
begin
    execute format(
        'create table stage.%I (
            like registry.entry including constraints,
            constraint is_of_source check (source = %L)
        ) with (autovacuum_enabled = false)',
        partition, source
    );
    execute format('insert into stage.%I select new_entry.* from stage.new_entry', partition);
    execute format('alter table stage.%I add primary key (company_id, entry_id)', partition);
    execute format('create unique index on stage.%I (entry_key)', partition);
    execute format('create index on stage.%I (nip) where nip is not null', partition);
    execute format('create index on stage.%I (regon9) where regon9 is not null', partition);
    execute format('create index on stage.%I (krs) where krs is not null', partition);
    execute format(
        'create index on stage.%I using gin (numbers jsonb_path_ops) where numbers is not null', partition
    );
    execute format('create index on stage.%I (company_id) where is_partial', partition);
    -- Finds entries whose announced end or strike-off is reached without a new record.
    execute format(
        'create index on stage.%I (least(end_date, struck_off_date))
        where least(end_date, struck_off_date) is not null and status <> ''DELETED''',
        partition
    );
    -- Finds entries whose announced suspension is reached.
    execute format(
        'create index on stage.%I (suspension_date)
        where declared_status = ''SUSPENDED'' and status = ''ACTIVE''',
        partition
    );
end;
$$;
