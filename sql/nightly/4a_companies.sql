-- Which company the entries of today belong to: the one they share a number with. The numbers of an
-- entry are valid or null, so that an invalid one never links.

-- One row per accepted record. A node is a company by its id or, above 2^62, a new entry by its place
-- in the dump: file_no * 2^40 + line.
create view stage.node as
select
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
with same_nip as (
    select node.nip, min(node.node) as neighbour
    from stage.node
    where node.nip is not null
    group by node.nip
    having count(*) > 1
),

same_regon9 as (
    select node.regon9, min(node.node) as neighbour
    from stage.node
    where node.regon9 is not null
    group by node.regon9
    having count(*) > 1
),

same_krs as (
    select node.krs, min(node.node) as neighbour
    from stage.node
    where node.krs is not null
    group by node.krs
    having count(*) > 1
)

select node.node, same_nip.neighbour
from stage.node
join same_nip using (nip)
union all
select node.node, same_regon9.neighbour
from stage.node
join same_regon9 using (regon9)
union all
select node.node, same_krs.neighbour
from stage.node
join same_krs using (krs);

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

-- One row per new entry. Ids keep to the order of the dump, so that they are the same whatever else
-- was read; they are not dense. A new entry founds a company with its own id unless it is connected
-- with another one; of several new entries of one company the first in the dump founds it.
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
    case
        when component.label is null
            then (select start.id from start)[entry.file_no + 1] + entry.line
        when component.label < 4611686018427387904 then component.label
        else
            (select start.id from start)[
                (component.label - 4611686018427387904) / 1099511627776 + 1
            ]
            + component.label % 1099511627776
    end as company_id,
    4611686018427387904 + entry.file_no * 1099511627776 + entry.line as node,
    (select start.file_key from start)[entry.file_no + 1] as file_key,
    entry.*
from stage.entry
left join stage.component
    on component.node = 4611686018427387904 + entry.file_no * 1099511627776 + entry.line
where
    entry.reason is null
    and not exists (
        select from stage.pair
        where pair.file_no = entry.file_no and pair.line = entry.line
    );

-- One row per company that turns out to be another one: the older stays.
create unlogged table stage.merged_company as
select
    component.node as company_id,
    component.label as into_company_id
from stage.component
where
    component.node < 4611686018427387904
    and component.label <> component.node;

analyze stage.merged_company;
