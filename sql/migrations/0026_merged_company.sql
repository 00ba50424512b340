-- Few companies have gone into another one: without an index a night that looks for them reads all.
create index company_merged_into_idx on registry.company (merged_into_id)
where merged_into_id is not null;
