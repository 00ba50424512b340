-- One row per limited client whose window of counting is open, or closed recently. The table is unlogged, so that no
-- request waits for the disk; a crash of the server restarts the windows. Half of each page is free (fillfactor), so
-- that counting rewrites a row in its page and touches no index.
create unlogged table customer.rate_limit (
    limit_key text primary key,
    hit_count bigint not null,
    reset_at timestamptz not null
) with (fillfactor = 50);

create index rate_limit_reset_at_idx on customer.rate_limit (reset_at);
