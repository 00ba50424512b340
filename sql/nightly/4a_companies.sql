-- Which company the entries of today belong to: the one they share a number with. The numbers of an
-- entry are valid or null, so that an invalid one never links.

-- One row per accepted record. A node is a company by its id or, above 2^62, a new entry by its place
-- in the dump: file_no * 2^40 + line.
create view stage.node as
select
    entry.file_no,
    entry.line,
    coalesce(
        pair.company_id,
        4611686018427387904 + entry.file_no * 1099511627776 + entry.line
    ) as node,
    entry.nip,
    entry.regon9,
    entry.krs
from stage.entry
left join stage.pair using (file_no, line)
where entry.reason is null;

-- One row per pair of nodes that are one company: entries of today with the same number, …
create unlogged table stage.link as
with suspect_node as (
    select node.*
    from stage.suspect
    join stage.node using (file_no, line)
),

same_nip as (
    select suspect_node.nip, min(suspect_node.node) as neighbour
    from suspect_node
    group by suspect_node.nip
),

same_regon9 as (
    select suspect_node.regon9, min(suspect_node.node) as neighbour
    from suspect_node
    group by suspect_node.regon9
),

same_krs as (
    select suspect_node.krs, min(suspect_node.node) as neighbour
    from suspect_node
    group by suspect_node.krs
)

select suspect_node.node, same_nip.neighbour
from suspect_node
join same_nip using (nip)
where suspect_node.node <> same_nip.neighbour
union all
select suspect_node.node, same_regon9.neighbour
from suspect_node
join same_regon9 using (regon9)
where suspect_node.node <> same_regon9.neighbour
union all
select suspect_node.node, same_krs.neighbour
from suspect_node
join same_krs using (krs)
where suspect_node.node <> same_krs.neighbour;

-- … and an entry with the companies that have its number.
insert into stage.link (node, neighbour)
select node.node, entry.company_id
from stage.node
join registry.entry using (nip)
where node.node <> entry.company_id
union all
select node.node, entry.company_id
from stage.node
join registry.entry using (regon9)
where node.node <> entry.company_id
union all
select node.node, entry.company_id
from stage.node
join registry.entry using (krs)
where node.node <> entry.company_id;

-- One row per node that has a neighbour; label: the smallest node it is connected with, which is
-- the oldest company where there is one.
create unlogged table stage.component as
select
    node.node,
    node.node as label
from (
    select link.node from stage.link
    union
    select link.neighbour from stage.link
) as node;

create unique index on stage.component (node);
analyze stage.link;
analyze stage.component;

do $$
begin
    loop
        update stage.component
        set label = smaller.label
        from (
            select
                edge.node,
                min(neighbour.label) as label
            from (
                select link.node, link.neighbour from stage.link
                union all
                select link.neighbour, link.node from stage.link
            ) as edge
            join stage.component as neighbour on neighbour.node = edge.neighbour
            group by edge.node
        ) as smaller
        where
            component.node = smaller.node
            and component.label > smaller.label;
        exit when not found;
    end loop;
end;
$$;

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
    null::date as gone_date, night.dump_date as changed_date
from stage.new_entry
cross join stage.night;

-- One row per new entry, as `registry.entry_key` has it, column by column.
create view stage.new_entry_key_row as
select
    night.source, new_entry.entry_key, new_entry.entry_id, new_entry.company_id,
    new_entry.file_key, new_entry.fingerprint, new_entry.content_hash, false as is_gone
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
