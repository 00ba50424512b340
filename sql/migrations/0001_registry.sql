-- Facts of the registries: written by the nightly pipeline only, read by everybody.
create schema registry;

-- Disposable tables of the night under way: unlogged, dropped and made again by every run.
create schema stage;

-- Stable read-only views for analysts.
create schema analyst;

-- One row per attempt to publish a dump.
create table registry.run (
    run_id bigint generated always as identity,
    source text not null,
    dump_date date not null,
    state text not null,
    reason text,
    message text,
    is_baseline boolean not null default false,
    is_full_read boolean not null default false,
    read_count bigint,
    accepted_count bigint,
    rejected_count bigint,
    new_count bigint,
    updated_count bigint,
    deleted_count bigint,
    waiting_count bigint,
    event_count bigint,
    entry_count bigint,
    state_hash numeric,
    started_at timestamptz not null,
    finished_at timestamptz,
    constraint run_pkey primary key (run_id),
    constraint run_state_known
        check (state in ('running', 'published', 'refused', 'failed', 'abandoned')),
    constraint run_rows_add_up check (read_count = accepted_count + rejected_count),
    constraint run_finished_unless_running check ((state = 'running') = (finished_at is null))
);

create unique index run_published_key on registry.run (source, dump_date)
where state = 'published';
create unique index run_running_key on registry.run (source) where state = 'running';

-- One row per file of a run's dump, also of a refused one.
create table registry.run_file (
    run_id bigint not null,
    file_key text not null,
    file text not null,
    byte_count bigint not null,
    sha256 text not null,
    read_count bigint,
    rejected_count bigint,
    entry_count bigint,
    constraint run_file_pkey primary key (run_id, file_key),
    constraint run_file_run_fkey foreign key (run_id) references registry.run
);

-- One row per record of a dump that could not be read, or contradicts another one.
-- `line` is the physical line of the file on which the record begins, the header being line 1.
create table registry.reject (
    run_id bigint not null,
    file text not null,
    line bigint not null,
    reason text not null,
    raw text not null,
    constraint reject_pkey primary key (run_id, file, line),
    constraint reject_run_fkey foreign key (run_id) references registry.run
);

-- One row per kind of source value that a run did not know, such as a new column or code.
create table registry.notice (
    run_id bigint not null,
    subject text not null,
    value text not null,
    row_count bigint not null,
    constraint notice_pkey primary key (run_id, subject, value),
    constraint notice_run_fkey foreign key (run_id) references registry.run
);

-- One row per table whose ids the night assigns. Unlike a sequence it rolls back with the night,
-- so that a run that was killed and started again gives the same ids as one that was not.
create table registry.last_id (
    table_name text not null,
    last_id bigint not null,
    constraint last_id_pkey primary key (table_name)
);

insert into registry.last_id values ('entry', 0), ('event', 0);

-- Tables whose rows change in place leave room in each page (fillfactor), so that a change touches
-- no index.

-- One row per company: the entries that share a NIP, a REGON9 or a KRS number. The columns are
-- those of the entry that search shows; a company merged into another one keeps its row.
create table registry.company (
    company_id bigint not null,
    country_code text not null,
    merged_into_id bigint,
    nip text,
    regon9 text,
    krs text,
    name text,
    status text not null,
    legal_form text,
    voivodeship text,
    city text,
    postal_code text,
    activity_main text,
    activity_start date,
    constraint company_pkey primary key (company_id),
    constraint company_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED'))
) with (fillfactor = 90);

create index company_merged_into_idx on registry.company (merged_into_id)
where merged_into_id is not null;

-- One row per registry entry: what one registry says of one activity of one company.
-- `status` is the one reached on the newest dump date; `gone_date` is the dump date on which the
-- entry was no longer there; `activity_codes` holds the main code too, sorted.
create table registry.entry (
    company_id bigint not null,
    entry_id bigint not null,
    source text not null,
    entry_key text not null,
    country_code text not null,
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
    declared_status text not null,
    is_partnership_only boolean not null,
    start_date date,
    end_date date,
    suspension_date date,
    resumption_date date,
    status text not null,
    gone_date date,
    changed_date date not null,
    constraint entry_pkey primary key (company_id, entry_id),
    constraint entry_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED'))
) with (fillfactor = 90);

create index entry_nip_idx on registry.entry (nip);
create index entry_regon9_idx on registry.entry (regon9);
create index entry_krs_idx on registry.entry (krs) where krs is not null;
create index entry_end_due_idx on registry.entry (source, end_date)
where end_date is not null and status <> 'DELETED';

-- One row per registry entry: by which key and which bytes the night recognises it. Narrow, because
-- every night reads all of it. `fingerprint` is null when the entry must be read again tomorrow.
create table registry.entry_key (
    source text not null,
    entry_key text not null,
    entry_id bigint not null,
    company_id bigint not null,
    file_key text not null,
    fingerprint bigint,
    content_hash bigint not null,
    is_gone boolean not null,
    constraint entry_key_pkey primary key (source, entry_key)
) with (fillfactor = 90);

-- The gone records of a night, and those to be read again: few among all.
create index entry_key_fingerprint_idx on registry.entry_key (fingerprint);
create index entry_key_unread_idx on registry.entry_key (source)
where fingerprint is null and not is_gone;

-- One row per difference that a night found; ids ascend in the order of publication, without gaps.
create table registry.event (
    company_id bigint not null,
    event_id bigint not null,
    entry_id bigint not null,
    event_date date not null,
    source text not null,
    event_type text not null,
    old_value text,
    new_value text,
    constraint event_pkey primary key (company_id, event_id)
);

create index event_id_idx on registry.event (event_id);
create index event_date_idx on registry.event (event_date, event_id);

-- One row per source and published dump date.
create table registry.daily_stat (
    source text not null,
    stat_date date not null,
    new_count bigint not null,
    updated_count bigint not null,
    deleted_count bigint not null,
    entry_count bigint not null,
    is_baseline boolean not null,
    constraint daily_stat_pkey primary key (source, stat_date),
    constraint daily_stat_not_negative
        check (new_count >= 0 and updated_count >= 0 and deleted_count >= 0)
);
