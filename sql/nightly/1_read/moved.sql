-- Whether an entry whose record is missing lies elsewhere by now: another source that was published
-- since the fingerprints were loaded has joined its company to another one.
select (select count(*) from stage.missing_entry) > (select count(*) from stage.absent) as is_moved
