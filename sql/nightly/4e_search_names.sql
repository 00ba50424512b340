-- What this night adds to the lists of the index goes to its place at once, so that no search has to
-- look through it. An index knows no transactions: this can be done beside the one that publishes.
select gin_clean_pending_list('registry.search_name_idx');
