-- Ids, numbers of snapshots, and the order of events, which nights assign. Nights of several countries publish
-- at the same time.

-- One row per kind of number that the night assigns. Unlike a sequence it rolls back with the night, so
-- that a repeated run assigns the same numbers. Snapshots of all sources are numbered together.
create table registry.last_id (
    table_name text primary key,
    last_id bigint not null,
    -- JavaScript holds whole numbers of 53 bits.
    constraint last_id_of_53_bits check (last_id < 1::bigint << 53)
);

insert into registry.last_id (table_name, last_id)
values
('entry', 0),
('event', 0),
('snapshot', 0);

-- One row per moment at which something was published, in this order: of a night, an import or a request to
-- be forgotten. `change_no` is the `changed_snapshot_no` of the changed companies. They get it before the number
-- of the snapshot is assigned, so that a later publication may have a smaller `change_no`.
-- `published_at` distinguishes two snapshots of one number: a restored database gives the number out again.
create table registry.publication (
    snapshot_no bigint primary key,
    change_no bigint not null,
    published_at timestamptz not null default clock_timestamp()
);

insert into registry.publication (snapshot_no, change_no)
values (0, 0);

-- One row per range of event ids that were published in their order, without others between; the ranges
-- are in the order of publication. `snapshot_no` is the number of the first publication of the range. Successive
-- nights share a range. A feed of one country skips the ranges of others.
create table registry.event_range (
    snapshot_no bigint primary key,
    first_event_id bigint not null,
    last_event_id bigint not null,
    country_code text not null,
    constraint event_range_not_empty check (first_event_id <= last_event_id)
);

create unique index event_range_first_event_idx on registry.event_range (first_event_id);

-- One row per run under way and kind of id that it has reserved.
create table registry.reserved_id (
    run_id bigint not null,
    table_name text not null,
    first_id bigint not null,
    last_id bigint not null,
    constraint reserved_id_pkey primary key (run_id, table_name)
);
