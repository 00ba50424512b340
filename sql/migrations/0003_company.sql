create extension if not exists unaccent schema registry;

-- One row per registry entry: what one registry says of one activity of one company. Entries lie in a
-- partition a source, which the first snapshot of the source makes with its indexes. Columns of fixed
-- width come first, so that no padding lies between them.
-- `fingerprint` stands for the bytes of the record, null when the record must be read again;
-- `content_hash` stands for what it says; `file_key` names the part of the dump.
-- `status` is the one reached on the newest dump date; `gone_date` is the dump date on which the entry
-- was no longer there.
-- `legal_form` is the newest symbol of the form, `voivodeship` the TERYT symbol. `activity_codes` are
-- separated by commas, the main code among them, in the order of the registry.
-- `bankruptcy_state` and `restructuring_state` are null without such proceedings, which may lack dates.
-- Open ones that followed others without a break have the end date of those.
-- `version_no` and `version_date` say how new the record is: the number of the registry's last change of
-- it, and the day whose state it shows, where the registry tells them. `version_register` is the register
-- of the record, where a registry keeps several for one number.
-- `units` and `other_dates` have the shapes that the snapshot shows; the three lists are sorted, and
-- null when empty, so that equal lists are equal values.
-- units: [{identifier, name, address: {street, building, apartment, city, postal_code, voivodeship,
--   country_code}, dates: [{type, date}]}], sorted by identifier.
-- persons: [{kind: 'owner' | 'partner' | 'shareholder' | 'representative' | 'appointed', full_name,
--   role, holding, number}]; courts and authorities appoint trustees, supervisors and commissioners.
--   holding: the shares in words. number: the KRS or REGON number of a shareholder. Both may be absent.
-- other_dates: [{type, date}], those that no column holds, labels in Polish.
-- `withdrawn_until` is infinity while the personal fields are withdrawn (sql/function/15_withdraw.sql),
-- and changes are no events; afterwards the dump date of the return.
create table registry.entry (
    company_id bigint not null,
    entry_id bigint not null,
    fingerprint bigint,
    content_hash bigint not null,
    changed_date date not null,
    gone_date date,
    start_date date,
    end_date date,
    suspension_date date,
    resumption_date date,
    struck_off_date date,
    bankruptcy_start_date date,
    bankruptcy_end_date date,
    restructuring_start_date date,
    restructuring_end_date date,
    version_date date,
    withdrawn_until date,
    version_no integer,
    activity_version smallint,
    is_partnership_only boolean not null,
    source text not null,
    entry_key text not null,
    file_key text not null,
    version_register text,
    nip text,
    regon9 text,
    krs text,
    status text not null,
    declared_status text not null,
    bankruptcy_state text,
    restructuring_state text,
    country_code text not null,
    entity_type text not null,
    legal_form text,
    name text,
    surname text,
    first_name text,
    phone text,
    email text,
    fax text,
    website text,
    e_delivery text,
    postal_code text,
    county text,
    commune text,
    city text,
    street text,
    building text,
    apartment text,
    voivodeship text,
    address_country_code text,
    activity_main text,
    activity_codes text not null,
    units jsonb,
    persons jsonb,
    other_dates jsonb,
    constraint entry_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED')),
    constraint entry_bankruptcy_state_known check (bankruptcy_state in ('OPEN', 'ENDED')),
    constraint entry_restructuring_state_known check (restructuring_state in ('OPEN', 'ENDED'))
) partition by list (source);

-- One row per company: the entries that share a NIP, a REGON9 or a KRS number. Search shows one of the
-- entries; its columns are here. A company merged into another one keeps its row. A company has the id of
-- its first entry. `changed_snapshot_no` is the snapshot that last changed the company or the
-- activities of its entries. Room in each page lets a change stay in its page and touch no index.
create table registry.company (
    company_id bigint primary key,
    changed_snapshot_no bigint not null,
    merged_into_id bigint,
    activity_start date,
    country_code text not null,
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
    constraint company_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED'))
) with (fillfactor = 95);

create index company_merged_into_idx on registry.company (merged_into_id)
where merged_into_id is not null;

-- One row per number that an entry of a company no longer has: the company is still known by it where
-- no other one has it now. `last_date` is the newest dump date on which the number was given up.
-- A company that was merged since goes on as `merged_into_id` of its row says.
create table registry.past_number (
    identifier_type text not null,
    identifier_value text not null,
    company_id bigint not null,
    last_date date not null,
    constraint past_number_pkey primary key (identifier_type, identifier_value, company_id),
    constraint past_number_identifier_type_known check (identifier_type in ('NIP', 'REGON9', 'KRS'))
);

-- One row per source: its rank for each field that search shows. Where the entries of a company differ,
-- the smallest rank is believed; a deleted entry counts only where no other entry tells the field.
-- `address` is the voivodeship, the city and the postal code of one entry.
create table registry.source_rank (
    source text primary key,
    name smallint not null,
    legal_form smallint not null,
    address smallint not null,
    activity_main smallint not null,
    activity_start smallint not null,
    nip smallint not null,
    regon9 smallint not null,
    krs smallint not null
);
