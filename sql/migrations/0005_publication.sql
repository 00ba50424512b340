-- The tables of ids, snapshot numbers and the order of events, which nights assign. Nights of several countries publish
-- in parallel.

-- One row per kind of number that nights assign, with the last assigned number. Unlike a sequence, the number rolls
-- back with the night, so that a repeated run assigns the same numbers. Snapshots of all sources are numbered together.
create table registry.last_id (
    table_name text primary key,
    last_id bigint not null,
    -- Ids have at most 53 bits, because a number of JavaScript holds no more.
    constraint last_id_of_53_bits check (last_id < 1::bigint << 53)
);

insert into registry.last_id (table_name, last_id)
values
('entry', 0),
('event', 0),
('snapshot', 0);

-- One row per publication, by a night, an import or a request to be forgotten; `snapshot_no` is their order.
-- `change_no` is the `changed_snapshot_no` of the changed companies. Companies get this number before the snapshot gets
-- its number, so that a later publication may have a smaller `change_no`. `published_at` distinguishes two snapshots
-- with one number: a restored database assigns the number again.
create table registry.publication (
    snapshot_no bigint primary key,
    change_no bigint not null,
    published_at timestamptz not null default clock_timestamp()
);

insert into registry.publication (snapshot_no, change_no)
values (0, 0);

-- One row per range of event ids that were published in their order, without other events in between. `snapshot_no` is
-- the number of the first publication of the range, and orders the ranges. Successive nights share a range. A feed of
-- one country skips the ranges of others.
create table registry.event_range (
    snapshot_no bigint primary key,
    first_event_id bigint not null,
    last_event_id bigint not null,
    country_code text not null,
    constraint event_range_not_empty check (first_event_id <= last_event_id)
);

create unique index event_range_first_event_idx on registry.event_range (first_event_id);

-- One row per running run and kind of id, with the ids that the run has reserved.
create table registry.reserved_id (
    run_id bigint not null,
    table_name text not null,
    first_id bigint not null,
    last_id bigint not null,
    constraint reserved_id_pkey primary key (run_id, table_name)
);
