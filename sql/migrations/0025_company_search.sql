-- What the search needs of a company in addition to what it shows: the activities of its entries that
-- are not deleted, or of all of them where the company is deleted; and the snapshot that last changed
-- the row, so that a copy of the table can be brought up to date. A snapshot is what one run publishes;
-- snapshots of all sources are numbered in the order of their publication.
alter table registry.company
add column activity_codes text[] not null default '{}',
add column changed_snapshot_no bigint not null default 0;

update registry.company
set activity_codes = coalesce(
    (
        select array_agg(distinct code order by code)
        from registry.entry
        cross join unnest(entry.activity_codes) as code
        where
            entry.company_id = company.company_id
            and (entry.status <> 'DELETED' or company.status = 'DELETED')
    ),
    '{}'
);

alter table registry.company
alter column activity_codes drop default,
alter column changed_snapshot_no drop default;

insert into registry.last_id values ('snapshot', 0);
