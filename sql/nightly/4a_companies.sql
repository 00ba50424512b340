-- Which company the entries of today belong to: the one whose numbers they share.

-- One row per node that has a neighbour: the company that its component is, which is the oldest one
-- of them or, where all entries are new, that of the first in the dump.
create unlogged table stage.linked as
select
    component.node,
    component.label,
    case
        when component.label < 4611686018427387904 then component.label
        else (
            select last_id.last_id + file.lines_before + component.label % 1099511627776
            from stage.file
            join registry.last_id on last_id.table_name = 'entry'
            where file.file_no = (component.label - 4611686018427387904) / 1099511627776
        )
    end as company_id
from stage.component;

analyze stage.linked;

-- One row per new entry. Ids keep to the order of the dump, so that they are the same whatever else
-- was read; they are not dense. A new entry founds a company with its own id unless it is connected
-- with another one.
create view stage.new_entry as
with start as (
    -- Arrays by file_no, so that a million entries need no join.
    select
        array_agg(last_id.last_id + file.lines_before order by file.file_no) as id,
        array_agg(file.file_key order by file.file_no) as file_key
    from stage.file
    join registry.last_id on last_id.table_name = 'entry'
)

select
    (select start.id from start)[entry.file_no + 1] + entry.line as entry_id,
    coalesce(
        linked.company_id,
        (select start.id from start)[entry.file_no + 1] + entry.line
    ) as company_id,
    linked.company_id is not null as is_linked,
    (select start.file_key from start)[entry.file_no + 1] as file_key,
    entry.*
from stage.entry
left join stage.linked
    on linked.node = 4611686018427387904 + entry.file_no * 1099511627776 + entry.line
where
    entry.reason is null
    -- A hash that is asked, not a join: of a first snapshot nothing is paired, of a night nearly all.
    and (entry.file_no, entry.line) not in (select pair.file_no, pair.line from stage.pair);

-- One row per new entry, as `registry.entry` has it, column by column.
create view stage.new_entry_row as
select
    new_entry.company_id, new_entry.entry_id, night.source, new_entry.entry_key,
    night.country_code, new_entry.nip, new_entry.regon9, new_entry.krs, new_entry.entity_type,
    new_entry.legal_form, new_entry.name, new_entry.surname, new_entry.first_name,
    new_entry.phone, new_entry.email, new_entry.fax, new_entry.website, new_entry.postal_code,
    new_entry.county, new_entry.commune, new_entry.city, new_entry.street, new_entry.building,
    new_entry.apartment, new_entry.voivodeship, new_entry.activity_version,
    new_entry.activity_main, new_entry.activity_codes, new_entry.declared_status,
    new_entry.is_partnership_only, new_entry.start_date, new_entry.end_date,
    new_entry.suspension_date, new_entry.resumption_date, new_entry.status,
    new_entry.gone_date, night.dump_date as changed_date, new_entry.address_country_code,
    new_entry.struck_off_date, new_entry.bankruptcy_start_date, new_entry.bankruptcy_end_date,
    new_entry.units, new_entry.persons, new_entry.other_dates
from stage.new_entry
cross join stage.night;

-- One row per new entry, as `registry.entry_key` has it, column by column.
create view stage.new_entry_key_row as
select
    night.source, new_entry.entry_key, new_entry.entry_id, new_entry.company_id,
    new_entry.file_key, new_entry.fingerprint, new_entry.content_hash,
    new_entry.gone_date is not null as is_gone
from stage.new_entry
cross join stage.night;

-- One row per company that turns out to be another one: the older stays.
create unlogged table stage.merged_company as
select
    linked.node as company_id,
    linked.label as into_company_id
from stage.linked
where
    linked.node < 4611686018427387904
    and linked.label <> linked.node;

analyze stage.merged_company;
