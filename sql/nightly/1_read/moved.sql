-- Checks whether stage.absent has fewer rows than stage.missing_entry. Fewer rows mean that an entry became gone or
-- lost its fingerprint after the night had loaded the fingerprints.
select (select count(*) from stage.missing_entry) > (select count(*) from stage.absent) as is_moved
