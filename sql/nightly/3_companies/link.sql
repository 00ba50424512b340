-- Links entries and companies of a country that share a REGON or a KRS number: they are one company.
-- link_number.sql does the same for numbers beyond these columns, link_nip.sql for the NIP. The numbers of an entry are valid or null.
--
-- A typing error can give an entry the valid number of another entry. So two differences contradict a
-- shared number. A shared REGON: another NIP and another person (another KRS number, a legal and a
-- natural person, or no name in common). A shared KRS number: another NIP and another REGON. A shared
-- NIP: another REGON and another person. One difference is no contradiction: a company has several
-- REGON over the years, or several KRS numbers when it changes its form. The run notes every
-- contradicted link, and every link by NIP of legal persons that differ in REGON.

create function stage.is_somebody_else(
    one_type text,
    one_krs text,
    one_surname text,
    one_first_name text,
    other_type text,
    other_krs text,
    other_surname text,
    other_first_name text
) returns boolean
language sql immutable parallel safe
return one_type <> other_type
or coalesce(one_krs <> other_krs, false)
or coalesce(
    registry.lower(one_surname) <> registry.lower(other_surname)
    -- REGON also lists the second name.
    and registry.lower(split_part(one_first_name, ' ', 1))
    <> registry.lower(split_part(other_first_name, ' ', 1)),
    false
);

-- One row per accepted record. node: the id of the known company, or the future id of the new entry.
-- The ids of new entries are larger than the ids of all companies.
create view stage.node as
select
    entry.file_no,
    entry.line,
    coalesce(
        pair.company_id, new_id.entry_id,
        (select night.first_ids from stage.night)[entry.file_no + 1] + entry.line
    ) as node,
    entry.nip,
    entry.regon9,
    entry.krs,
    entry.entity_type,
    entry.surname,
    entry.first_name,
    entry.entry_key,
    entry.numbers
from stage.entry
left join stage.pair using (file_no, line)
left join stage.new_id using (file_no, line)
where entry.reason is null;

create unlogged table stage.suspect_node as
select node.*
from stage.suspect
join stage.node using (file_no, line);

analyze stage.suspect_node;

-- One row per pair of nodes that share a REGON or a KRS number. Entries of today pair with the first
-- entry of the same number; the next statement pairs them with the known companies of that number.
create unlogged table stage.link as
select
    node.node,
    first_node.node as neighbour,
    'REGON of another company' as subject,
    node.regon9 as number,
    coalesce(node.nip <> first_node.nip, false)
    and stage.is_somebody_else(
        node.entity_type, node.krs, node.surname, node.first_name,
        first_node.entity_type, first_node.krs, first_node.surname, first_node.first_name
    ) as is_contradicted
from stage.suspect_node as node
join (
    select distinct on (suspect_node.regon9) suspect_node.*
    from stage.suspect_node
    order by suspect_node.regon9, suspect_node.node
) as first_node using (regon9)
where node.node <> first_node.node
union all
select
    node.node,
    first_node.node,
    'KRS number of another company',
    node.krs,
    coalesce(node.nip <> first_node.nip and node.regon9 <> first_node.regon9, false)
from stage.suspect_node as node
join (
    select distinct on (suspect_node.krs) suspect_node.*
    from stage.suspect_node
    order by suspect_node.krs, suspect_node.node
) as first_node using (krs)
where node.node <> first_node.node;

insert into stage.link (node, neighbour, subject, number, is_contradicted)
select
    node.node,
    entry.company_id,
    'REGON of another company',
    node.regon9,
    coalesce(node.nip <> entry.nip, false)
    and stage.is_somebody_else(
        node.entity_type, node.krs, node.surname, node.first_name,
        entry.entity_type, entry.krs, entry.surname, entry.first_name
    )
from stage.node
join registry.entry using (regon9)
join stage.night on night.country_code = entry.country_code
where node.node <> entry.company_id
union all
select
    node.node,
    entry.company_id,
    'KRS number of another company',
    node.krs,
    coalesce(node.nip <> entry.nip and node.regon9 <> entry.regon9, false)
from stage.node
join registry.entry using (krs)
join stage.night on night.country_code = entry.country_code
where node.node <> entry.company_id;

-- Labels connected components: gives each node the smallest label of its neighbours until none changes.
create function stage.label_components() returns void
language plpgsql as $$
begin
    insert into stage.component (node, label)
    select node.node, node.node
    from (
        select link.node from stage.link where not link.is_contradicted
        union
        select link.neighbour from stage.link where not link.is_contradicted
    ) as node
    on conflict (node) do nothing;

    analyze stage.link;
    analyze stage.component;

    loop
        update stage.component
        set label = smaller.label
        from (
            select
                edge.node,
                min(neighbour.label) as label
            from (
                select link.node, link.neighbour from stage.link where not link.is_contradicted
                union all
                select link.neighbour, link.node from stage.link where not link.is_contradicted
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

select stage.label_components();
