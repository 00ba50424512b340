-- The search loads what changed since its snapshot, while searches go on: it must not read every company.
create index company_changed_idx on registry.company (changed_snapshot_no);
