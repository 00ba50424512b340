-- The place in the dump that first said what an entry says now: the run, the number of the file in it, and
-- the line. Null where an older version wrote the entry. An entry that is gone has the run that missed it,
-- and no place. Narrow numbers, since every entry has them.
alter table registry.entry
add column said_run_id integer,
add column said_file_no integer,
add column said_line integer;

-- `file_no` numbers the files of a run.
alter table registry.run_file add column file_no integer;

create unique index run_file_no_key on registry.run_file (run_id, file_no);
