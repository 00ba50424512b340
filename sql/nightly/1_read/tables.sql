-- Empty tables for one night of one source; what a run that was killed left is dropped. In all files of
-- the night `stage` stands for the schema of the source, such as stage_ceidg.
drop schema if exists stage cascade;
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

-- One row per file of the dump. first_id: the id of a new entry is this plus its line.
create unlogged table stage.file (
    file_no integer not null,
    file_key text not null,
    file text not null,
    byte_count bigint not null,
    sha256 text not null,
    read_count bigint not null default 0,
    line_count bigint not null default 0,
    first_id bigint
);

-- The tables of a source of documents, filled by its collect.sql.

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

-- One row per staged record, in the terms of every source, with the columns of registry.entry but its ids.
-- A record with a reason is rejected. gone_date: the day on which the entry was struck
-- off, once that day is reached.
create unlogged table stage.entry (
    file_no integer not null,
    line bigint not null,
    reason text,
    is_repeat boolean not null default false,
    is_contradicted boolean not null default false,
    like registry.entry
);

alter table stage.entry
alter column company_id drop not null,
alter column entry_id drop not null,
alter column changed_date drop not null,
alter column source drop not null,
alter column file_key drop not null,
alter column country_code drop not null,
alter column status drop not null,
alter column declared_status drop not null;

-- One row per rejected record; entry_key where it could be read.
create unlogged table stage.reject (
    file_no integer not null,
    line bigint not null,
    reason text not null,
    raw text not null,
    is_repeat boolean not null default false,
    entry_key text
);

-- One row per kind of source value that is not known.
create unlogged table stage.notice (
    subject text not null,
    value text not null,
    row_count bigint not null
);

-- One row per entry of yesterday whose record no file of today holds: its fingerprint, 0 for none, and
-- the ctid of its row.
create unlogged table stage.missing_entry (
    fingerprint bigint not null,
    place tid not null
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

-- One row per event of the night, before it has a number.
create unlogged table stage.event (
    company_id bigint not null,
    entry_id bigint not null,
    event_type text not null,
    old_value text,
    new_value text
);

-- One row per node that shares a number with another one: a node is a known company, or a new entry by
-- its id. label: the smallest node that it is connected with, which is the oldest company; all of them
-- are that company.
create unlogged table stage.component (
    node bigint not null,
    label bigint not null,
    constraint component_pkey primary key (node)
);

-- One row per accepted record, as registry.entry will hold it, column by column. A new entry gets an id
-- of its own, and founds a company of that id unless it shares a number with another company.
create view stage.entry_row as
select
    coalesce(pair.company_id, component.label, file.first_id + entry.line) as company_id,
    coalesce(pair.entry_id, file.first_id + entry.line) as entry_id,
    entry.fingerprint,
    entry.content_hash,
    (select night.dump_date from stage.night) as changed_date,
    entry.gone_date,
    entry.start_date,
    entry.end_date,
    entry.suspension_date,
    entry.resumption_date,
    entry.struck_off_date,
    entry.bankruptcy_start_date,
    entry.bankruptcy_end_date,
    entry.restructuring_start_date,
    entry.restructuring_end_date,
    entry.version_date,
    entry.version_no,
    entry.activity_version,
    entry.is_partnership_only,
    (select night.source from stage.night) as source,
    entry.entry_key,
    file.file_key,
    entry.version_register,
    entry.nip,
    entry.regon9,
    entry.krs,
    entry.status,
    entry.declared_status,
    entry.bankruptcy_state,
    entry.restructuring_state,
    (select night.country_code from stage.night) as country_code,
    entry.entity_type,
    entry.legal_form,
    entry.name,
    entry.surname,
    entry.first_name,
    entry.phone,
    entry.email,
    entry.fax,
    entry.website,
    entry.e_delivery,
    entry.postal_code,
    entry.county,
    entry.commune,
    entry.city,
    entry.street,
    entry.building,
    entry.apartment,
    entry.voivodeship,
    entry.address_country_code,
    entry.activity_main,
    entry.activity_codes,
    entry.units,
    entry.persons,
    entry.other_dates
from stage.entry
join stage.file using (file_no)
left join stage.pair using (file_no, line)
left join stage.component on component.node = file.first_id + entry.line
where entry.reason is null;

-- One row per new entry. The ids of known ones are looked up in a hash table, not joined: of a first
-- snapshot there are none.
create view stage.new_entry as
select entry_row.*
from stage.entry_row
where entry_row.entry_id not in (select pair.entry_id from stage.pair);
