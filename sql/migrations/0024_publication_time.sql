-- When a number of a snapshot was given out: a database that was restored to an earlier moment gives the
-- same number to something else.
alter table registry.publication
add column published_at timestamptz not null default clock_timestamp();
