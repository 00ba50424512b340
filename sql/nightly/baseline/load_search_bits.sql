-- The bits of the very first companies, written by `pipeline/night/search-bits.ts` in this transaction, so
-- that they need no WAL where the server keeps a minimal one.
create table stage.first_search_bits (like registry.search_bits including storage) with (
    -- Six rows a page leave room for the next version of one of them, which then needs no index.
    autovacuum_vacuum_scale_factor = 0.05, fillfactor = 85
);
