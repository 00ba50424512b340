-- Facts of the registries: written by the nightly pipeline only, read by everybody.
create schema if not exists registry;

-- What is a capital letter must not depend on how the database was made: with the locale C only ASCII
-- has capitals, in Turkey that of i has a dot. Used by registry.lower and registry.upper.
do $$
begin
    execute case
        when current_setting('server_version_num')::integer < 170000
            then $sql$create collation registry.unicode (provider = icu, locale = 'und')$sql$
        else $sql$create collation registry.unicode (provider = builtin, locale = 'C.UTF-8')$sql$
    end;
exception
    when feature_not_supported then
        raise 'this PostgreSQL is built without ICU: PostgreSQL 17 or newer does not need it';
end;
$$;

-- One row per lock, by its name: of a session for as long as it lives, or of a transaction. A crash of the
-- server ends all sessions, so that the rows need not survive it.
create unlogged table registry.lock (
    lock_name text primary key,
    pid integer,
    session_started_at timestamptz
);

-- Stable read-only views for analysts.
create schema analyst;

-- One row per attempt to publish a dump. A run of state 'imported' has published companies that
-- customers asked for: it stands for no dump, its date is the day on which it ran, and it makes entries
-- but no events. `last_entry_id` is the largest id that an entry could have after it, so that the id of
-- an entry tells the run that found it first. `path` is where the dump lay; `refusals` is what the
-- guards found, as `GuardFinding` has it; `step_seconds` is how long each step took, by its name.
create table registry.run (
    run_id bigint generated always as identity primary key,
    source text not null,
    dump_date date not null,
    state text not null,
    reason text,
    message text,
    is_baseline boolean not null default false,
    is_full_read boolean not null default false,
    read_count bigint,
    accepted_count bigint generated always as (read_count - rejected_count) stored,
    rejected_count bigint,
    new_count bigint,
    updated_count bigint,
    deleted_count bigint,
    waiting_count bigint,
    event_count bigint,
    entry_count bigint,
    last_entry_id bigint,
    state_hash numeric,
    started_at timestamptz not null,
    finished_at timestamptz,
    path text,
    refusals jsonb,
    step_seconds json,
    constraint run_state_known check (
        state in ('running', 'published', 'imported', 'refused', 'failed', 'stopped', 'abandoned')
    ),
    constraint run_finished_unless_running check ((state = 'running') = (finished_at is null))
);

create unique index run_published_key on registry.run (source, dump_date)
where state = 'published';
create index run_last_entry_idx on registry.run (last_entry_id, run_id)
where last_entry_id is not null;
create unique index run_running_key on registry.run (source) where state = 'running';

-- One row per file of a run's dump, also of a refused one. `content_hash` is the size and CRC-32 of what the
-- file holds, unpacked: it tells whether two files hold the same. Null where the files were not compared.
create table registry.run_file (
    run_id bigint not null references registry.run,
    file_key text not null,
    file text not null,
    byte_count bigint not null,
    sha256 text not null,
    content_hash text,
    read_count bigint,
    rejected_count bigint,
    entry_count bigint,
    constraint run_file_pkey primary key (run_id, file_key)
);

-- One row per record of a dump that could not be read, or contradicts another one.
-- `line` is the physical line of the file on which the record begins, the header being line 1. `raw` is
-- the text of the record; it is blank after a while, and where it tells of a person who is forgotten.
create table registry.reject (
    run_id bigint not null references registry.run,
    file text not null,
    line bigint not null,
    reason text not null,
    raw text not null,
    constraint reject_pkey primary key (run_id, file, line)
);

create index reject_raw_idx on registry.reject (run_id) where raw <> '';

-- One row per kind of source value that a run did not know, such as a new column or code.
create table registry.notice (
    run_id bigint not null references registry.run,
    subject text not null,
    value text not null,
    row_count bigint not null,
    constraint notice_pkey primary key (run_id, subject, value)
);

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

-- One row per source, snapshot day and group of entries whose stock or flow that day changed: by how
-- much the number of entries of the registry in this state differs from the snapshot before. A running
-- sum over the days is the stock. `voivodeship` and `legal_form` are symbols, `activity_section` is
-- the section of the main activity. `new_count`, `suspended_count` and `resumed_count` stand at the
-- present state of an entry, `ended_count` at its former state. A baseline has no flow. The day 'infinity'
-- holds what came on demand since the last dump, until the next dump.
create table registry.stock_change (
    source text not null,
    stat_date date not null,
    voivodeship text,
    activity_section text,
    legal_form text,
    status text not null,
    entry_change bigint not null,
    new_count bigint not null,
    ended_count bigint not null,
    suspended_count bigint not null,
    resumed_count bigint not null,
    constraint stock_change_key unique nulls not distinct
    (source, stat_date, voivodeship, activity_section, legal_form, status),
    constraint stock_change_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED')),
    constraint stock_change_not_negative
        check (least(new_count, ended_count, suspended_count, resumed_count) >= 0)
);
