-- The tables that were loaded take the places of the empty ones. Runs in the transaction that publishes.
drop table registry.search;
alter table stage.first_search rename to search;
alter table stage.search set schema registry;

do $$
declare
    name text;
begin
    for name in
        select pg_indexes.indexname
        from pg_indexes
        where pg_indexes.schemaname = 'registry' and pg_indexes.tablename = 'search'
    loop
        execute format(
            'alter index registry.%I rename to %I', name, regexp_replace(name, '^first_', '')
        );
    end loop;
end;
$$;

call registry.follow_search();

drop table registry.search_bits, registry.search_places;
alter table stage.first_search_bits rename to search_bits;
alter table stage.first_search_places rename to search_places;
alter table stage.search_bits set schema registry;
alter table stage.search_places set schema registry;
alter table registry.search_bits rename constraint first_search_bits_pkey to search_bits_pkey;
alter table registry.search_places rename constraint first_search_places_pkey to search_places_pkey;
