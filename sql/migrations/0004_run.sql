-- One row per attempt to publish a dump. A run in the state 'imported' has published companies that customers asked
-- for. Such a run has no dump, its `dump_date` is the day of the run, and it makes entries but no events.
-- `last_entry_id` is the largest possible id of an entry after the run: the id of an entry shows the run that found the
-- entry first. `path` is the path of the dump. `refusals` are the findings of the guards, in the shape of
-- `GuardFinding`. `step_seconds` has the seconds of each step, by the name of the step. `dump_kind`: an entry that is
-- absent from a full dump is gone; an entry that is absent from a delta is unchanged.
create table registry.run (
    run_id bigint generated always as identity primary key,
    source text not null,
    dump_date date not null,
    state text not null,
    reason text,
    message text,
    is_baseline boolean not null default false,
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
    dump_kind text,
    constraint run_state_known check (
        state in ('running', 'published', 'imported', 'refused', 'failed', 'stopped', 'abandoned')
    ),
    constraint run_dump_kind_known check (dump_kind in ('full', 'delta')),
    constraint run_finished_unless_running check ((state = 'running') = (finished_at is null))
);

create unique index run_published_key on registry.run (source, dump_date)
where state = 'published';
create index run_last_entry_idx on registry.run (last_entry_id, run_id)
where last_entry_id is not null;
create unique index run_running_key on registry.run (source) where state = 'running';
-- Finds the attempts of a day, without the imports on demand, which may be many.
create index run_dump_date_idx on registry.run (dump_date, source)
where state in ('published', 'refused');

-- One row per file of a run's dump, also of a refused dump. `content_hash` is the size and CRC-32 of the unpacked
-- content, by which two files are compared; null where files were not compared.
-- `file_no` numbers the files of a run.
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
    file_no integer,
    constraint run_file_pkey primary key (run_id, file_key)
);

create unique index run_file_no_key on registry.run_file (run_id, file_no);

-- One row per code of a rejected record, with its meaning.
create table registry.reject_code (
    reject_code text primary key,
    sentence text not null
);

-- The reason of a rejected record: a code, and a sentence that may quote the record.
create type registry.coded_reason as (reject_code text, reason text);

-- One row per record of a dump that could not be read, or contradicts another record.
-- `line` is the physical line of the file on which the record begins, the header being line 1. `raw` is the text of the
-- record; it is blank after REJECT_DAYS, and for a person who is forgotten.
create table registry.reject (
    run_id bigint not null references registry.run,
    file text not null,
    line bigint not null,
    reject_code text not null,
    reason text not null,
    raw text not null,
    constraint reject_pkey primary key (run_id, file, line)
);

create index reject_raw_idx on registry.reject (run_id) where raw <> '';

-- One row per run and reject code, with the number of rejected rows.
create table registry.reject_count (
    run_id bigint not null references registry.run on delete cascade,
    reject_code text not null references registry.reject_code,
    row_count bigint not null,
    constraint reject_count_pkey primary key (run_id, reject_code)
);

-- One row per kind of source value that a run did not know, such as a new column or code.
create table registry.notice (
    run_id bigint not null references registry.run,
    subject text not null,
    value text not null,
    row_count bigint not null,
    constraint notice_pkey primary key (run_id, subject, value)
);

-- One row: the time at which the next night is due. A schedule that starts after this time runs the missed night at
-- once.
create table registry.schedule (
    is_only boolean not null primary key default true,
    next_at timestamptz not null,
    constraint schedule_is_one_row check (is_only)
);
