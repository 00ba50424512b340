-- The companies whose name is like $1: their ids, 8 bytes each, and the snapshot that was read. Without
-- the index no row is read.
select
    last_id.last_id as snapshot_no,
    to_regclass('registry.company_name_idx') is not null as is_indexed,
    (
        select string_agg(int8send(company.company_id), '')
        from registry.company
        where
            to_regclass('registry.company_name_idx') is not null
            and registry.fold_name(company.name) like $1
    ) as company_ids
from registry.last_id
where last_id.table_name = 'snapshot'
