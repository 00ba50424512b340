-- The records of a first snapshot are normalised by several sessions at once: each file has a partition
-- of its own, since sessions that make one table longer wait for each other.
alter table stage.entry rename to whole_entry;

create table stage.entry (like stage.whole_entry including defaults) partition by list (file_no);

drop table stage.whole_entry;

do $$
declare
    file_no integer;
begin
    for file_no in select file.file_no from stage.file loop
        execute format(
            -- Autovacuum would only take time from the night.
            'create unlogged table stage.entry_%s partition of stage.entry for values in (%s)
             with (autovacuum_enabled = false)',
            file_no, file_no
        );
    end loop;
end;
$$;
