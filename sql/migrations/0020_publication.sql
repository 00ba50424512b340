-- Nights of several countries publish at the same time.

-- What a dump says of absent entries: nothing, if it is a delta. Null of a run of an older version.
alter table registry.run
add column dump_kind text,
add constraint run_dump_kind_known check (dump_kind in ('full', 'delta'));

-- One row per moment at which something was published, in this order: of a night, an import or a request to
-- be forgotten. `change_no` is `changed_snapshot_no` of the companies that it changed, which they have
-- before the number of the snapshot is given out: that of a later publication may be smaller.
create table registry.publication (
    snapshot_no bigint primary key,
    change_no bigint not null
);

-- All that was published before.
insert into registry.publication (snapshot_no, change_no)
select last_id.last_id, 0
from registry.last_id
where last_id.table_name = 'snapshot';

-- One row per range of event ids that were published in their order, without others between; the ranges
-- are in the order of publication. `snapshot_no` is that of the first publication of the range. Nights
-- that follow each other share a range.
create table registry.event_range (
    snapshot_no bigint primary key,
    first_event_id bigint not null,
    last_event_id bigint not null,
    constraint event_range_not_empty check (first_event_id <= last_event_id)
);

create unique index event_range_first_event_idx on registry.event_range (first_event_id);

insert into registry.event_range (snapshot_no, first_event_id, last_event_id)
select snapshot.last_id, 1, event.last_id
from registry.last_id as snapshot
join registry.last_id as event on event.table_name = 'event'
where snapshot.table_name = 'snapshot' and event.last_id > 0;

-- One row per run under way and kind of id that it has reserved.
create table registry.reserved_id (
    run_id bigint not null,
    table_name text not null,
    first_id bigint not null,
    last_id bigint not null,
    constraint reserved_id_pkey primary key (run_id, table_name)
);

-- It takes a source now.
drop function if exists person.describe(text, text);
