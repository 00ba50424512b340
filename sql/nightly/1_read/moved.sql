-- Whether the row of a missing entry has another ctid by now: since the fingerprints were loaded, a
-- night of another source has merged its company into another one.
select (select count(*) from stage.missing_entry) > (select count(*) from stage.absent) as is_moved
