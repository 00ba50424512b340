-- Checks whether stage.absent has fewer rows than stage.missing_entry. If so, an entry has become gone, or has lost its
-- fingerprint, after the night loaded the fingerprints.
select (select count(*) from stage.missing_entry) > (select count(*) from stage.absent) as is_moved
