-- Drops functions of release 2.0.0 that no longer exist, with the views of a killed night that use the dropped
-- functions. Deletes the former names of function files from registry.applied_migration.
drop function if exists
    customer.lock_watches(bigint[]), customer.awaiting(jsonb), customer.fold_watches(bigint[], bigint[]),
    customer.advance_watches(bigint[], timestamptz, jsonb),
    customer.advance_watches(timestamptz, boolean),
    registry.other_numbers(text, jsonb),
    registry.series(text, text, date, date, text, text, text, bigint),
    registry.street_fr(jsonb, text), registry.building_fr(jsonb), registry.apartment_fr(jsonb),
    registry.city_fr(jsonb), registry.group_fr(jsonb), registry.address_fr(jsonb, boolean, text, text)
cascade;

delete from registry.applied_migration
where name in (
    'function/04_run.sql', 'function/08_entry.sql', 'function/09_company.sql', 'function/12_job.sql',
    'function/18_analyst_count.sql', 'function/24_series.sql'
);
