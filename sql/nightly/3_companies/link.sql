-- Links entries and companies of a country that share a number, since they belong to one company. The numbers of an
-- entry are valid or null: `wrong_number` of 1_read/normalise.sql rejects a record with a wrong check digit, and
-- functions.sql of the country refuses a number of zeros. A typing error can give an entry the
-- valid number of another company: entries with a shared number are not linked if two other traits differ. One
-- different trait is allowed: a company may get a new REGON, or a new KRS number with a new legal form. The two traits
-- are NIP and person for a shared REGON, NIP and REGON for a shared KRS number, and REGON and person for a shared NIP.
-- Two persons differ if their KRS numbers differ, if both surname and first name differ, or if only one is a legal
-- person. The run writes a notice about every contradicted link, and every link by NIP between legal persons with
-- different REGON numbers.

-- Lists one row per accepted record. `node` is the id of the known company, or the future id of the new entry. The ids
-- of new entries are larger than all company ids, so that nodes are unique.
create view stage.node as
select
    entry.file_no, entry.line, pair.entry_id,
    coalesce(
        pair.company_id, new_id.entry_id,
        (select night.first_ids from stage.night)[entry.file_no + 1] + entry.line
    ) as node,
    entry.nip, entry.regon9, entry.krs, entry.entity_type, entry.surname, entry.first_name,
    entry.entry_key, entry.numbers
from stage.entry
left join stage.pair using (file_no, line)
left join stage.new_id using (file_no, line)
where entry.reason is null;

-- Lists one row per known entry of the country, with the columns of stage.node.
create view stage.known_node as
select
    null::integer as file_no, null::bigint as line, entry.entry_id, entry.company_id as node,
    entry.nip, entry.regon9, entry.krs, entry.entity_type, entry.surname, entry.first_name,
    entry.entry_key, entry.numbers
from registry.entry
join stage.night using (country_code);

create unlogged table stage.suspect_node as
select node.*
from stage.suspect
join stage.node using (file_no, line);

analyze stage.suspect_node;

-- Holds one row per type of number that links companies, except NIP, REGON and KRS number. The type of the entry key is
-- listed only if the country has a second source: within one source, entry keys are unique.
create unlogged table stage.link_type as
select type.identifier_type, type.stored_in
from registry.identifier_type as type
join stage.night using (country_code)
where
    type.links
    and (
        type.stored_in = 'numbers'
        or type.stored_in = 'key'
        and exists (
            select
            from registry.source_rank
            join registry.run using (source)
            where
                source_rank.country_code = night.country_code
                and source_rank.source <> night.source
                and run.state in ('published', 'imported')
        )
    );

analyze stage.link_type;

create function stage.is_somebody_else(one stage.node, other stage.node) returns boolean
language sql immutable parallel safe
return one.entity_type <> other.entity_type
or coalesce(one.krs <> other.krs, false)
or coalesce(
    registry.lower(one.surname) <> registry.lower(other.surname)
    -- REGON also states a person's second name, so that only the first name is compared.
    and registry.lower(split_part(one.first_name, ' ', 1))
    <> registry.lower(split_part(other.first_name, ' ', 1)),
    false
);

create function stage.contradicts(subject text, one stage.node, other stage.node) returns boolean
language sql immutable parallel safe
return case subject
    when 'REGON' then coalesce(one.nip <> other.nip, false) and stage.is_somebody_else(one, other)
    when 'KRS number' then coalesce(one.nip <> other.nip and one.regon9 <> other.regon9, false)
    else false
end;

-- Links nodes (known companies and new entries) that share a number other than the NIP. A record of today is linked to
-- the first record with the same number, and to the known companies with this number.
with numbered as (
    select row(node.*)::stage.node as holder, number.subject, number.value
    from stage.suspect_node as node
    cross join lateral (values ('REGON', node.regon9), ('KRS number', node.krs)) as number (subject, value)
    where number.value is not null
    union all
    select row(node.*)::stage.node, type.identifier_type, node.numbers ->> type.identifier_type
    from stage.node
    join stage.link_type as type on type.stored_in = 'numbers' and node.numbers ? type.identifier_type
    where exists (select from stage.link_type)
),

first_holder as (
    select distinct on (numbered.subject, numbered.value) numbered.*
    from numbered
    order by numbered.subject, numbered.value, (numbered.holder).node
)

insert into stage.link (node, neighbour, subject, number, is_contradicted)
select
    (numbered.holder).node,
    (first_holder.holder).node,
    numbered.subject,
    numbered.value,
    stage.contradicts(numbered.subject, numbered.holder, first_holder.holder)
from numbered
join first_holder using (subject, value)
where (numbered.holder).node <> (first_holder.holder).node
union all
select
    node.node, known_node.node, 'REGON', node.regon9,
    stage.contradicts('REGON', row(node.*)::stage.node, row(known_node.*)::stage.node)
from stage.node
join stage.known_node using (regon9)
where node.node <> known_node.node
union all
select
    node.node, known_node.node, 'KRS number', node.krs,
    stage.contradicts('KRS number', row(node.*)::stage.node, row(known_node.*)::stage.node)
from stage.node
join stage.known_node using (krs)
where node.node <> known_node.node
union all
select node.node, known_node.node, type.identifier_type, node.entry_key, false
from stage.node
join stage.known_node using (entry_key)
join stage.link_type as type on type.stored_in = 'key'
where exists (select from stage.link_type) and node.node <> known_node.node
union all
select node.node, known_node.node, type.identifier_type, node.numbers ->> type.identifier_type, false
from stage.node
join stage.link_type as type on type.stored_in = 'numbers' and node.numbers ? type.identifier_type
join stage.known_node
    on known_node.numbers @> jsonb_build_object(
        type.identifier_type, node.numbers ->> type.identifier_type
    )
    and known_node.numbers is not null
where exists (select from stage.link_type) and node.node <> known_node.node;

create view stage.edge as
select link.node, link.neighbour from stage.link where not link.is_contradicted
union all
select link.neighbour, link.node from stage.link where not link.is_contradicted;

-- Finds connected components: each node takes the smallest label of its neighbours, until no label changes.
create function stage.label_components() returns void
language plpgsql as $$
begin
    insert into stage.component (node, label)
    select distinct edge.node, edge.node from stage.edge
    on conflict (node) do nothing;
    analyze stage.link;
    analyze stage.component;
    loop
        update stage.component
        set label = smaller.label
        from (
            select edge.node, min(neighbour.label) as label
            from stage.edge
            join stage.component as neighbour on neighbour.node = edge.neighbour
            group by edge.node
        ) as smaller
        where component.node = smaller.node and component.label > smaller.label;
        exit when not found;
    end loop;
end;
$$;

select stage.label_components();

-- Nodes are linked by NIP last, since any entry of a component (linked nodes) can contradict a shared NIP.

-- Holds one row per component and NIP that several components have. `first_label` is the oldest component's label.
create unlogged table stage.same_nip as
with holder as (
    select suspect_node.nip, suspect_node.node
    from stage.suspect_node
    where suspect_node.nip is not null
    union
    select node.nip, holder.node
    from stage.node
    join stage.known_node using (nip)
    cross join lateral (values (node.node), (known_node.node)) as holder (node)
    where node.node <> known_node.node
)

select labelled.*
from (
    select distinct
        holder.nip,
        own.label,
        min(own.label) over same as first_label,
        max(own.label) over same as last_label
    from holder
    left join stage.component using (node)
    cross join lateral (select coalesce(component.label, holder.node) as label) as own
    window same as (partition by holder.nip)
) as labelled
where labelled.first_label <> labelled.last_label;

analyze stage.same_nip;

-- Holds one row per entry of the components in stage.same_nip: its state of today, else its known state.
create unlogged table stage.nip_holder as
with member as (
    select same_nip.label, same_nip.label as node
    from stage.same_nip
    union
    select component.label, component.node
    from stage.component
    where component.label in (select same_nip.label from stage.same_nip)
)

-- In the very first snapshot, no entry is known, so that only nodes of stage.suspect_node share a number.
select member.label, row(suspect_node.*)::stage.node as holder
from member
join stage.suspect_node using (node)
where not exists (select from registry.entry)
union all
select member.label, row(node.*)::stage.node
from member
join stage.node using (node)
where exists (select from registry.entry)
union all
select member.label, row(known_node.*)::stage.node
from member
join stage.known_node using (node)
where not exists (select from stage.pair where pair.entry_id = known_node.entry_id);

analyze stage.nip_holder;

-- Holds one row per NIP and pair of components with this NIP that differ in REGON.
create unlogged table stage.nip_doubt as
select
    younger.nip,
    younger.label,
    bool_or(stage.is_somebody_else(one.holder, other.holder)) as is_contradicted,
    bool_or((one.holder).entity_type = 'LEGAL') as is_legal
from stage.same_nip as younger
join stage.same_nip as older using (nip)
join stage.nip_holder as one on one.label = younger.label
join stage.nip_holder as other on other.label = older.label
where
    older.label < younger.label
    and (one.holder).regon9 <> (other.holder).regon9
group by younger.nip, younger.label, older.label;

analyze stage.nip_doubt;

-- Links a component (of linked nodes) to the oldest component with its NIP, unless the component contradicts any older
-- component with this NIP. An unconditional link could join two components that contradict each other.
insert into stage.link (node, neighbour, subject, number, is_contradicted)
select
    same_nip.label, same_nip.first_label, 'NIP', same_nip.nip,
    (same_nip.nip, same_nip.label) in (
        select nip_doubt.nip, nip_doubt.label from stage.nip_doubt where nip_doubt.is_contradicted
    )
from stage.same_nip
where same_nip.label <> same_nip.first_label;

select stage.label_components();

insert into stage.notice (subject, value, row_count)
select link.subject || ' of another company', link.number, count(*)
from stage.link
where link.is_contradicted
group by link.subject, link.number
union all
select 'NIP with several REGON', nip_doubt.nip, count(*)
from stage.nip_doubt
where nip_doubt.is_legal and not nip_doubt.is_contradicted
group by nip_doubt.nip;

-- Holds one row per known company that is merged into an older company.
create unlogged table stage.merged_company as
select component.node as company_id, component.label as into_company_id
from stage.component
where
    component.label <> component.node
    and exists (select from registry.company where company.company_id = component.node);

analyze stage.merged_company;
