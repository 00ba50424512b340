-- As before; but who has worked out the bits and places of what he changes, and writes them himself, says
-- so in his transaction: `set local registry.search_bits = 'apart'`.
create or replace procedure registry.follow_search()
language sql as $$
    create trigger search_bits_insert
    after insert on registry.search
    referencing new table as after
    for each statement
    when (current_setting('registry.search_bits', true) is distinct from 'apart')
    execute function registry.change_search_bits();

    create trigger search_bits_update
    after update on registry.search
    referencing old table as before new table as after
    for each statement
    when (current_setting('registry.search_bits', true) is distinct from 'apart')
    execute function registry.change_search_bits();

    create trigger search_bits_delete
    after delete on registry.search
    referencing old table as before
    for each statement
    when (current_setting('registry.search_bits', true) is distinct from 'apart')
    execute function registry.change_search_bits();
$$;

drop trigger search_bits_insert on registry.search;
drop trigger search_bits_update on registry.search;
drop trigger search_bits_delete on registry.search;
call registry.follow_search();
