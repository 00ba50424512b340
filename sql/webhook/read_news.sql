-- Returns one row: the count of published nights, and the number of the newest snapshot. The count alone shows news: an
-- import publishes a snapshot too, but no event and no day.
select
    (select count(*) from registry.run where run.state = 'published') as night_count,
    (select max(publication.snapshot_no) from registry.publication) as snapshot_no
