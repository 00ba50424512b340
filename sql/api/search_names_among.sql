-- The companies among $2 whose name is like $1: their ids, 8 bytes each, and the snapshot that was read.
-- The offset keeps the planner from looking for the name among all companies.
select
    last_id.last_id as snapshot_no,
    true as is_indexed,
    (
        select string_agg(int8send(company.company_id), '')
        from (
            select
                company.company_id,
                company.name
            from registry.company
            where company.company_id = any($2::bigint[])
            offset 0
        ) as company
        where registry.fold_name(company.name) like $1
    ) as company_ids
from registry.last_id
where last_id.table_name = 'snapshot'
