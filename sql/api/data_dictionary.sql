-- Returns each column of each view of the schema `analyst` with its comment, ordered by view and position.
select
    pg_class.relname as view,
    obj_description(pg_class.oid, 'pg_class') as about_view,
    pg_attribute.attname as name,
    format_type(pg_attribute.atttypid, null) as type,
    col_description(pg_class.oid, pg_attribute.attnum) as about
from pg_class
join pg_attribute on pg_attribute.attrelid = pg_class.oid and pg_attribute.attnum > 0
where pg_class.relnamespace = 'analyst'::regnamespace and pg_class.relkind = 'v'
order by pg_class.relname, pg_attribute.attnum;
