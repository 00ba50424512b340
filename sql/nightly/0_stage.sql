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
    is_import boolean not null,
    previous_run_id bigint,
    published_at timestamptz not null
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

-- What documents are made of, and what else a source of documents says: filled by its collect.sql.

-- One row per answer of a registry that could be read.
create unlogged table stage.answer (
    file_no integer not null,
    line bigint not null,
    answer jsonb not null,
    raw text not null
);

-- One row per entry that the answers speak of, at the place of one of them.
create unlogged table stage.document (
    file_no integer not null,
    line bigint not null,
    entry_key_hint text,
    document jsonb not null,
    raw text not null,
    constraint document_place_once unique (file_no, line)
);

-- One row per number that the source says is struck off: REGON9, KRS, or the key of one entry.
create unlogged table stage.deleted_number (
    number text not null
);

-- One row per answer, or answer that is missing, that is no document and no reject.
create unlogged table stage.outcome (
    subject text not null,
    value text not null
);

-- One row per staged record, in the terms of every source. A record with a reason is rejected.
-- gone_date: the day on which it was struck off, once that is reached. What every step asks for comes
-- first: to find a column, Postgres walks over those before it.
create unlogged table stage.entry (
    file_no integer not null,
    line bigint not null,
    reason text,
    fingerprint bigint,
    content_hash bigint not null,
    gone_date date,
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
    address_country_code text,
    struck_off_date date,
    bankruptcy_start_date date,
    bankruptcy_end_date date,
    units jsonb,
    persons jsonb,
    other_dates jsonb,
    status text,
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

-- One row per accepted record that speaks of a known entry; the others are new.
create unlogged table stage.pair (
    file_no integer not null,
    line bigint not null,
    entry_key text not null,
    content_hash bigint not null,
    entry_id bigint not null,
    company_id bigint not null,
    old_entry_key text not null,
    old_content_hash bigint not null,
    was_gone boolean not null,
    is_gone boolean not null
);

-- One row per node that has a neighbour, that is, per company or new entry that shares a number with
-- another one. label: the smallest node it is connected with; company_id: the company that they all
-- are, the oldest one of them or, where all entries are new, that of the first in the dump.
create unlogged table stage.linked (
    node bigint not null,
    label bigint not null,
    company_id bigint not null
);
