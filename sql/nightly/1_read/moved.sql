-- Checks whether stage.absent lacks a missing entry: the entry has lost its fingerprint, or is gone, since the
-- fingerprints were loaded.
select (select count(*) from stage.missing_entry) > (select count(*) from stage.absent) as is_moved
