-- One row per index that a table must have to become a partition of another one; definition: the
-- statement that makes it.
select
    case
        when pg_constraint.oid is null then regexp_replace(
            pg_get_indexdef(pg_index.indexrelid),
            ' INDEX .+? ON ONLY \S+ ',
            format(' INDEX ON stage.first_%s ', pg_class.relname)
        )
        else format(
            'alter table stage.first_%s add %s',
            pg_class.relname,
            pg_get_constraintdef(pg_constraint.oid)
        )
    end as definition
from pg_index
join pg_class on pg_class.oid = pg_index.indrelid
left join pg_constraint
    on pg_constraint.conindid = pg_index.indexrelid
    and pg_constraint.contype in ('p', 'u')
where pg_class.oid = $1::regclass;
