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

-- One row per file of the dump; lines_before: the lines of the files before it.
create unlogged table stage.file (
    file_no integer not null,
    file_key text not null,
    file text not null,
    byte_count bigint not null,
    sha256 text not null,
    read_count bigint not null default 0,
    line_count bigint not null default 0,
    lines_before bigint not null default 0
);

-- One row per staged record, in the terms of every source. A record with a reason is rejected.
create unlogged table stage.entry (
    file_no integer not null,
    line bigint not null,
    fingerprint bigint not null,
    entry_key text not null,
    nip text,
    regon9 text,
    krs text,
    entity_type text not null,
    legal_form text,
    name text,
    surname text,
    first_name text,
    phone text,
    email text,
    fax text,
    website text,
    postal_code text,
    county text,
    commune text,
    city text,
    street text,
    building text,
    apartment text,
    voivodeship text,
    activity_version smallint,
    activity_main text,
    activity_codes text[] not null,
    declared_status text,
    is_partnership_only boolean not null,
    start_date date,
    end_date date,
    suspension_date date,
    resumption_date date,
    status text,
    content_hash bigint not null,
    reason text,
    is_repeat boolean not null default false,
    is_contradicted boolean not null default false
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
