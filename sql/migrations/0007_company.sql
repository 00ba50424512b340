-- One row per company: the entries that share a NIP, a REGON9 or a KRS number. The columns are the fields that search
-- shows. A company that was merged into another company keeps its row. A company has the id of its first entry.
-- `changed_snapshot_no` is the snapshot that last changed the company or the activities of its entries. `numbers` holds
-- the numbers that name the company beyond `nip`, `regon9` and `krs`, keys of entries included. Each page has free
-- space (fillfactor), so that an update stays in its page and touches no index.
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
-- Finds the companies that changed since a snapshot, so that search need not read every company.
create index company_changed_idx on registry.company (changed_snapshot_no);

-- One row per number that an entry of a company no longer has. The number still finds the company if no other company
-- has the number now. `last_date` is the newest dump date on which an entry lost the number. If the company was merged
-- since, the `merged_into_id` of its row names the company that stays.
create table registry.past_number (
    identifier_type text not null,
    identifier_value text not null,
    company_id bigint not null,
    last_date date not null,
    constraint past_number_pkey primary key (identifier_type, identifier_value, company_id)
);
