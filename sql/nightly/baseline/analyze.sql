-- Plans depend on statistics, those of the rest of this night and of tomorrow's: not left to autovacuum,
-- which may come too late and never looks at all partitions together.
set local default_statistics_target = 20;
analyze registry.entry (company_id, entry_id, source, nip, regon9, krs, status, end_date);
set local default_statistics_target to default;
