-- One row per column of registry.entry whose changes the night compares, or which keeps its value where a file lacks
-- the column. `field`: the name of the field in guards; null where another comparison covers the column. `stated_as`:
-- the name of the field in the column lists of the sources (`tells`). `subjects`: the subjects of the events about it.
create table registry.entry_column (
    column_name text primary key,
    field text,
    stated_as text,
    subjects text[] not null
);

-- One row per registry entry: the state of one activity of one company in one registry. Each source has a partition,
-- which the first snapshot of the source makes with its indexes. Columns of fixed width come first, so that no padding
-- lies between them.
-- `fingerprint` is a hash of the bytes of the record, null when the record must be read again. `content_hash` is a hash
-- of the fields of the entry. `file_key` names the part of the dump.
-- `status` is the status on the newest dump date; `gone_date` is the date of the first dump without the entry.
-- `legal_form` is the newest symbol of the form, `voivodeship` the TERYT symbol. `activity_codes` are separated by
-- commas, the main code among them, in the order of the registry.
-- `bankruptcy_state` and `restructuring_state` are null without such proceedings. Proceedings may lack dates. Open
-- proceedings that followed other proceedings without a break have the end date of the former proceedings. `version_no`
-- and `version_date` are the version of the record, where the registry states it: the number of the registry's last
-- change, and the day whose state the record shows. `version_register` is the register of the record, if a registry
-- keeps several registers for one number.
-- `units` and `other_dates` have the shapes that the snapshot shows. `units`, `persons` and `other_dates` are sorted,
-- and null when empty, so that equal lists are equal values.
-- units: [{identifier, name, address: {street, building, apartment, city, postal_code, voivodeship,
--   country_code}, dates: [{type, date}], is_closed}], sorted by identifier; units of KRS are in the order of
--   the extract. is_closed is true or absent, whether or not the day is known.
-- persons: [{kind: 'owner' | 'partner' | 'shareholder' | 'representative' | 'appointed', full_name, role,
--   holding, number}]; courts and authorities appoint trustees, supervisors and commissioners. holding: the
--   shares in words. number: the KRS or REGON number of a shareholder or partner. holding and number may be
--   absent.
-- other_dates: [{type, date}], the dates without a column, labels in Polish.
-- `withdrawn_until` is infinity while the personal fields are withdrawn (sql/function/21_hidden_entry.sql) and changes are no
-- events; afterwards it is the dump date of the return.
-- `said_run_id`, `said_file_no` and `said_line` name the place in a dump at which the present content of the entry was
-- first read. An entry that is gone has the run that found it missing, and no file or line. `numbers`: the numbers
-- beyond the columns `nip`, `regon9` and `krs`, by their type; null if there are none. `is_partial`: whether the owner
-- objects to being found: the entry is in no export and no search by name. `unstated`: the subjects of event types that
-- the registry does not state for the entry, such as a name that its owner withholds. A subject that becomes stated or
-- unstated is no event.
-- `announced_activity`: the code of the main activity in the next classification.
-- `closed_units`: the numbers of closed units, without their other fields.
-- `address_ids`: the registry's identifiers of the addresses of `units`, in their order.
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
    said_run_id integer,
    said_file_no integer,
    said_line integer,
    numbers jsonb,
    is_partial boolean,
    unstated text[],
    announced_activity text,
    closed_units text[],
    address_ids text[],
    constraint entry_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED')),
    constraint entry_bankruptcy_state_known check (bankruptcy_state in ('OPEN', 'ENDED')),
    constraint entry_restructuring_state_known check (restructuring_state in ('OPEN', 'ENDED'))
) partition by list (source);
