-- Entries get their ids, before anything is rejected or compared: a first snapshot is loaded from here on.

-- One row per record that was not rejected, with the id of the entry that it founds if it is new. Ids
-- keep to the order of the dump, so that they are the same whatever else was read; they are not dense.
create view stage.numbered_entry as
select
    -- Arrays by file_no, so that a million entries need no join; each a query of its own, since several
    -- processes cannot share one that has a name.
    (
        select array_agg(last_id.last_id + file.lines_before order by file.file_no)
        from stage.file
        join registry.last_id on last_id.table_name = 'entry'
    )[entry.file_no + 1] + entry.line as entry_id,
    (
        select array_agg(file.file_key order by file.file_no) from stage.file
    )[entry.file_no + 1] as file_key,
    entry.*
from stage.entry
where entry.reason is null;

-- One row per new entry. It founds a company with its own id unless it is connected with another one.
-- As long as nothing is compared, all are new and none is connected.
create view stage.new_entry as
select
    numbered_entry.*,
    coalesce(linked.company_id, numbered_entry.entry_id) as company_id,
    linked.company_id is not null as is_linked
from stage.numbered_entry
left join stage.linked
    on linked.node
    = 4611686018427387904 + numbered_entry.file_no * 1099511627776 + numbered_entry.line
where
    -- A hash that is asked, not a join: of a first snapshot nothing is paired, of a night nearly all.
    (numbered_entry.file_no, numbered_entry.line) not in (
        select pair.file_no, pair.line from stage.pair
    );

-- One row per new entry, as `registry.entry` has it, column by column. The night is asked once, not
-- joined to each.
create view stage.new_entry_row as
select
    new_entry.company_id, new_entry.entry_id, (select night.source from stage.night) as source,
    new_entry.entry_key, (select night.country_code from stage.night) as country_code,
    new_entry.nip, new_entry.regon9, new_entry.krs, new_entry.entity_type,
    new_entry.legal_form, new_entry.name, new_entry.surname, new_entry.first_name,
    new_entry.phone, new_entry.email, new_entry.fax, new_entry.website, new_entry.postal_code,
    new_entry.county, new_entry.commune, new_entry.city, new_entry.street, new_entry.building,
    new_entry.apartment, new_entry.voivodeship, new_entry.activity_version,
    new_entry.activity_main, new_entry.activity_codes, new_entry.declared_status,
    new_entry.is_partnership_only, new_entry.start_date, new_entry.end_date,
    new_entry.suspension_date, new_entry.resumption_date, new_entry.status,
    new_entry.gone_date, (select night.dump_date from stage.night) as changed_date,
    new_entry.address_country_code,
    new_entry.struck_off_date, new_entry.bankruptcy_start_date, new_entry.bankruptcy_end_date,
    new_entry.units, new_entry.persons, new_entry.other_dates
from stage.new_entry;

-- One row per new entry, as `registry.entry_key` has it, column by column.
create view stage.new_entry_key_row as
select
    (select night.source from stage.night) as source, new_entry.entry_key, new_entry.entry_id,
    new_entry.company_id, new_entry.file_key, new_entry.fingerprint, new_entry.content_hash,
    new_entry.gone_date is not null as is_gone
from stage.new_entry;
