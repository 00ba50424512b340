-- The entries of the first snapshot of a source, in the table that becomes the source's partition; made
-- and filled in one transaction, so that it needs no WAL where the server keeps a minimal one.
create table stage.first_entry (
    like registry.entry including defaults including constraints
) with (fillfactor = 90);

do $$
begin
    execute format(
        'alter table stage.first_entry add constraint is_of_source check (source = %L)',
        (select night.source from stage.night)
    );
end;
$$;

insert into stage.first_entry
select new_entry_row.*
from stage.new_entry_row;
