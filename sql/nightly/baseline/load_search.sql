-- What the search shows of the very first companies, in the table that takes the place of the empty
-- one; made and filled at once, so that several processes read and it needs no WAL where the server
-- keeps a minimal one. The ids of the very first companies serve as their numbers: they have few gaps.
-- More than anything else waits for it.
set local max_parallel_workers_per_gather = 2;

create table stage.first_search with (
    fillfactor = 90, autovacuum_vacuum_scale_factor = 0.002, autovacuum_analyze_scale_factor = 0.02
) as
select
    new_search_row.company_id,
    new_search_row.company_id::integer as search_no,
    new_search_row.activity_start,
    (new_search_row.company_id >> 13)::smallint as block,
    new_search_row.status collate "C" as status,
    new_search_row.voivodeship collate "C" as voivodeship,
    new_search_row.legal_form collate "C" as legal_form,
    new_search_row.postal_code collate "C" as postal_code,
    new_search_row.city collate "C" as city,
    new_search_row.codes,
    new_search_row.name collate "C" as name
from stage.new_search_row;

alter table stage.first_search
alter column company_id set not null,
alter column block set not null,
alter column status set not null,
alter column codes set not null,
add constraint search_block_of_number check (block = search_no >> 13),
-- Before the other indexes: by it the companies are read for their bits.
add constraint first_search_pkey primary key (search_no);
