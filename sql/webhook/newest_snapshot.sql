-- Returns one row: the count of published nights, and the number of the newest snapshot. New events exist only if the
-- count has grown, because an import on demand publishes a snapshot without events. claim.sql then selects the due
-- endpoints, and api/read_feed.sql their events.
select
    (select count(*) from registry.run where run.state = 'published') as night_count,
    (select max(publication.snapshot_no) from registry.publication) as snapshot_no
