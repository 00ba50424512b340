-- What a registry says of an entry beside what the night compares; null where it says nothing.
-- `is_partial`: the owner objects to be found: the entry is in no export and no search by name.
-- `untold`: subjects of event types that the registry does not tell of the entry, such as the name that its
-- owner withholds. That one comes or goes is no event.
-- `announced_activity`: the code of the main activity in the classification that will come.
-- `closed_unit_count`: the units that are closed, of which no more is kept.
alter table registry.entry
add column is_partial boolean,
add column untold text[],
add column announced_activity text,
add column closed_unit_count integer;

-- As the first snapshot of a source makes it.
do $$
declare
    partition regclass;
begin
    for partition in
        select inhrelid from pg_inherits where inhparent = 'registry.entry'::regclass
    loop
        execute format('create index on %s (company_id) where is_partial', partition);
    end loop;
end;
$$;
