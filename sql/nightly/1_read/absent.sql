-- Collects the known entries that may be gone; 2_compare/vanished.sql decides. Runs in parallel with
-- reject.sql. Neither file uses parallel workers: to start them costs more than they save in most nights.
set local max_parallel_workers_per_gather = 0;

analyze stage.missing_entry;
analyze stage.deleted_key;

-- One row per known entry that may be gone. In a night that skips unchanged records, the rows are the entries whose
-- record of yesterday does not occur in today's dump. If every record of a full dump was read, the rows are all entries
-- that are not gone yet. A delta lists the entries that are struck off. The query reads only the partition of the
-- source, since comparing the source of each row takes half of the time.
do $do$
begin
    execute format(
        $sql$
        create unlogged table stage.absent as
        with known as not materialized (
            select entry.*
            from %s as entry
            where entry.gone_date is null
        )

        select known.company_id, known.entry_id, known.entry_key
        from stage.missing_entry
        join known using (fingerprint)
        union all
        select known.company_id, known.entry_id, known.entry_key
        from stage.missing_entry
        join known using (entry_id)
        where missing_entry.entry_id is not null
        union all
        select known.company_id, known.entry_id, known.entry_key
        from known
        where (select night.is_full_read and night.dump_kind = 'full' from stage.night)
        union all
        select known.company_id, known.entry_id, known.entry_key
        from stage.deleted_key
        join known using (entry_key)
        $sql$,
        (
            select coalesce(
                to_regclass(format('registry.%I', 'entry_' || night.source))::text,
                -- Before its first snapshot a source has no partition and no known entries.
                '(select * from registry.entry where false)'
            )
            from stage.night
        )
    );
end;
$do$;

analyze stage.absent;
