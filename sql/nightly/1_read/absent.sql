-- Collects the known entries that may be gone; 2_compare/vanished.sql decides which of them are gone. absent.sql and
-- reject.sql run in parallel. Parallel workers of Postgres are off in absent.sql and reject.sql, since in most nights,
-- starting the workers takes longer than they save.
set local max_parallel_workers_per_gather = 0;

analyze stage.missing_entry;
analyze stage.deleted_key;

-- Holds one row per known entry that may be gone. If unchanged records are skipped, the rows of stage.absent are the
-- entries whose record of yesterday is not in today's dump. If every record of a full dump was read, stage.absent has
-- all entries that are not gone yet. In a delta, stage.absent has the entries that the delta lists as struck off. The
-- query names the partition of the source, since comparing the source of each row would double the time.
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
                -- Before its first snapshot, a source has no partition and no known entries.
                '(select * from registry.entry where false)'
            )
            from stage.night
        )
    );
end;
$do$;

analyze stage.absent;
