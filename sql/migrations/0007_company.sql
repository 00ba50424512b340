-- One row per company: the entries that share a NIP, a REGON9 or a KRS number. Search shows one of the
-- entries; its columns are here. A company merged into another one keeps its row. A company has the id of
-- its first entry. `changed_snapshot_no` is the snapshot that last changed the company or the
-- activities of its entries. `numbers` holds the numbers beyond the three columns that name the company, a key
-- included. Room in each page lets a change stay in its page and touch no index.
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
    numbers jsonb,
    constraint company_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED'))
) with (fillfactor = 95);

create index company_merged_into_idx on registry.company (merged_into_id)
where merged_into_id is not null;
-- The search loads the companies that changed since its snapshot, without reading every company.
create index company_changed_idx on registry.company (changed_snapshot_no);

-- One row per number that an entry of a company no longer has: the company is still known by it where
-- no other one has it now. `last_date` is the newest dump date on which the number was given up.
-- For a company that was merged since, `merged_into_id` of its row names the company that stays.
create table registry.past_number (
    identifier_type text not null,
    identifier_value text not null,
    company_id bigint not null,
    last_date date not null,
    constraint past_number_pkey primary key (identifier_type, identifier_value, company_id)
);
