-- One row per index of the search that its table has not got yet: the statements that make it for the table that was loaded. Only those
-- that take long are made by several processes; the others are made side by side.
select
    case
        when pg_indexes.indexdef like '% gin %' then 'set local max_parallel_maintenance_workers = 3; '
        else ''
    end
    || regexp_replace(
        pg_indexes.indexdef,
        ' INDEX (\S+) ON \S+ ',
        ' INDEX first_\1 ON stage.first_search '
    ) as definition
from pg_indexes
where
    pg_indexes.schemaname = 'registry'
    and pg_indexes.tablename = 'search'
    and pg_indexes.indexname <> 'search_pkey'
-- What takes longest comes first.
order by pg_indexes.indexdef like '%gin_trgm_ops%' desc, pg_indexes.indexdef like '% gin %' desc;
