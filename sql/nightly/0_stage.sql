-- Empty tables for the night: whatever a run that was killed left behind goes.
drop schema stage cascade;
create schema stage;

-- One row: the night that is being computed. Time is data: no step asks for the clock.
create unlogged table stage.night (
    run_id bigint not null,
    source text not null,
    dump_kind text not null,
    country_code text not null,
    dump_date date not null,
    is_baseline boolean not null,
    is_full_read boolean not null,
    previous_run_id bigint
);

-- One row per file of the dump.
create unlogged table stage.file (
    file_no integer not null,
    file_key text not null,
    file text not null,
    byte_count bigint not null,
    sha256 text not null,
    read_count bigint not null
);

-- One row per rejected record; entry_key where it could be read.
create unlogged table stage.reject (
    file_no integer not null,
    line bigint not null,
    reason text not null,
    raw text not null,
    is_repeat boolean not null,
    entry_key text
);

-- One row per kind of source value that is not known.
create unlogged table stage.notice (
    subject text not null,
    value text not null,
    row_count bigint not null
);

-- One row per fingerprint of yesterday that no record of today has.
create unlogged table stage.unmet (
    fingerprint bigint not null
);
