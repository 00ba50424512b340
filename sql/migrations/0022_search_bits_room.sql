-- Six rows a page leave room for the next version of one of them, which then needs no index.
alter table registry.search_bits set (fillfactor = 85);
