-- Whether the row of a missing entry is not found by now: since the fingerprints were loaded, it has lost its
-- fingerprint, or is gone.
select (select count(*) from stage.missing_entry) > (select count(*) from stage.absent) as is_moved
