-- One row per index of the search: the statement that makes it for the table that was loaded.
select
    regexp_replace(
        pg_indexes.indexdef,
        ' INDEX (\S+) ON \S+ ',
        ' INDEX first_\1 ON stage.first_search '
    ) as definition
from pg_indexes
where pg_indexes.schemaname = 'registry' and pg_indexes.tablename = 'search'
-- What takes longest comes first.
order by pg_indexes.indexdef like '%gin_trgm_ops%' desc, pg_indexes.indexdef like '% gin %' desc;
