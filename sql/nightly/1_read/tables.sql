-- Creates the empty tables for one night of one source, and drops the tables of a killed run. In the files of
-- sql/nightly, `stage` stands for the schema of the source, such as stage_ceidg.
drop schema if exists stage cascade;
create schema stage;

-- Holds one row about the current night. Every step takes the time from stage.night, not from the clock.
-- `previous_run_id` is the run of the newest published dump. `compared_run_id` is the run of the newest published dump
-- of the same kind (full or delta). `day_count` is the number of days since the newest full dump (for a full dump) or
-- since the newest dump (for a delta); null before the first dump. The ids of new entries begin after
-- `entry_id_before`. In a first snapshot, an entry's id is its line number plus its file's value in `first_ids`.
-- `first_event_id` and `last_event_id` are the first and last id of the new events; null without events.
create unlogged table stage.night (
    run_id bigint not null,
    source text not null,
    dump_kind text not null,
    -- Whether the registry states only the main activity of an entry.
    has_one_activity boolean not null,
    -- For each classification of activities, the first day on which a dump may move all entries to its codes. A
    -- classification that is not listed may be used on any day.
    recoded_from jsonb not null,
    country_code text not null,
    dump_date date not null,
    is_baseline boolean not null,
    is_full_read boolean not null,
    is_import boolean not null,
    previous_run_id bigint,
    published_at timestamptz not null,
    compared_run_id bigint,
    day_count integer,
    entry_id_before bigint,
    first_ids bigint[],
    first_event_id bigint,
    last_event_id bigint
);

-- Holds one row per file of the dump, numbered from 0. `is_joined` is true if a record consists of rows of the file and
-- of another file. `processed_until` is the newest processing date in the file; null if its rows have no such date.
create unlogged table stage.file (
    file_no integer not null,
    file_key text not null,
    file text not null,
    byte_count bigint not null,
    sha256 text not null,
    content_hash text,
    read_count bigint not null default 0,
    line_count bigint not null default 0,
    is_joined boolean not null default false,
    processed_until date
);

-- Holds one row per column that the mapping reads and a file lacks. `place` is the column's position in the source's
-- list of columns. `tells` lists the entry's fields that come from the column. `record_file_no` is the file of the
-- records that lack the column.
create unlogged table stage.missing_column (
    file_no integer not null,
    place integer not null,
    header text not null,
    tells text[] not null,
    is_optional boolean not null,
    record_file_no integer not null
);

-- Holds one row per new entry, with its new id. `new_id` is empty in a first snapshot, whose entries are all new.
create unlogged table stage.new_id (
    file_no integer not null,
    line bigint not null,
    entry_id bigint not null
);

-- Holds the rows of files that contain no records of entries, such as a list of duplicates.
create unlogged table stage.side_row (
    file_no integer not null,
    line bigint not null,
    file_key text not null,
    fields jsonb not null
);

-- The source's collect.sql makes stage.document from stage.answer. PostgreSQL compresses answers and documents only if
-- they exceed a page (8 kB): compressing smaller ones would take more time than all other work.

-- Holds one row per readable answer of a registry.
create unlogged table stage.answer (
    file_no integer not null,
    line bigint not null,
    answer jsonb not null,
    raw text not null
) with (toast_tuple_target = 8160);

-- Holds one row per entry that the answers describe. `file_no` and `line` locate one of the answers about the entry.
create unlogged table stage.document (
    file_no integer not null,
    line bigint not null,
    entry_key_hint text,
    document jsonb not null,
    raw text not null,
    constraint document_place_once unique (file_no, line)
) with (toast_tuple_target = 8160);

-- Holds one row per entry key that the source lists as struck off.
create unlogged table stage.deleted_key (
    entry_key text not null
);

-- Holds one row per staged record, with the columns of registry.entry; the ids stay null. A record with a `reason` is
-- rejected. `gone_date` is the day of a strike-off that is reached. `wrong_dates` lists the record's impossible dates,
-- such as `start_date 0001-01-16`.
create unlogged table stage.entry as
select
    null::integer as file_no, null::bigint as line, null::registry.coded_reason as reason,
    null::text[] as wrong_dates,
    entry.*
from registry.entry
with no data;

-- Holds one row per hash of a trait, such as a number, for each record of a person who asked to be forgotten.
create unlogged table stage.withdrawn (
    file_no integer not null,
    line bigint not null,
    like person.suppressed_key
);

-- Holds one row per rejected record. `entry_key` is null if the key could not be read.
create unlogged table stage.reject (
    file_no integer not null,
    line bigint not null,
    reject_code text not null,
    reason text not null,
    raw text not null,
    entry_key text
);

-- Holds one row per finding that rejects no record: an unknown value, an ignored file, a doubtful number, a missing
-- answer. Several findings may have the same subject and value.
create unlogged table stage.notice (
    subject text not null,
    value text not null,
    row_count bigint not null default 1
);

-- Holds one row per entry of yesterday whose record is in none of today's files. The row has the fingerprint of the
-- entry or, for an entry without a fingerprint, the id of the entry.
create unlogged table stage.missing_entry (
    fingerprint bigint,
    entry_id bigint
);

-- Holds one row per closed unit (establishment) that its owner withholds, with the number of the unit. The entry no
-- longer lists a withheld closed unit. Each dump lists all withheld closed units again.
create unlogged table stage.withheld_unit (
    entry_key text not null,
    unit_number text not null
);

-- Holds one row per former name of a unit without a number, for a registry that states the history of units.
create unlogged table stage.former_unit (
    entry_key text not null,
    name text not null,
    former_name text not null
);

-- Holds one row per event of the night, before the event has an id.
create unlogged table stage.event (
    company_id bigint not null,
    entry_id bigint not null,
    event_type text not null,
    old_value text,
    new_value text
);

-- Holds one row per node that is linked to another node. `node` is the id of a known company or of a new entry. `label`
-- is the smallest node of all nodes that are linked with each other, and becomes their company id.
create unlogged table stage.component (
    node bigint primary key,
    label bigint not null
);

-- Holds one row per pair of nodes that share a number, or of which one is listed as a duplicate of the other.
-- `is_contradicted` is true if other traits show that the nodes are two companies.
create unlogged table stage.link (
    node bigint not null,
    neighbour bigint not null,
    subject text not null,
    number text not null,
    is_contradicted boolean not null
);
