-- The same for their activities.
create table stage.first_search_places (like registry.search_places including storage) with (
    autovacuum_vacuum_scale_factor = 0.05, fillfactor = 85
);
