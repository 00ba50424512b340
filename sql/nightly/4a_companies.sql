-- Which company the new and the renumbered entries belong to: the one they share a number with.
-- The numbers of an entry are valid or null, so that an invalid one never links.

-- One row per entry whose numbers have to be looked at.
create unlogged table stage.numbered as
select
    pair.pair_no,
    pair.company_id,
    entry.nip,
    entry.regon9,
    entry.krs
from stage.pair
join stage.entry using (file_no, line)
where pair.entry_id is null
union all
select
    change.pair_no,
    (change.old).company_id,
    (change.new).nip,
    (change.new).regon9,
    (change.new).krs
from stage.change
where
    ((change.new).nip, (change.new).regon9, (change.new).krs)
    is distinct from ((change.old).nip, (change.old).regon9, (change.old).krs);

-- One row per such entry and valid number.
create unlogged table stage.number as
select
    numbered.pair_no,
    number.type,
    number.value
from stage.numbered
cross join lateral (
    values
    ('NIP', numbered.nip),
    ('REGON9', numbered.regon9),
    ('KRS', numbered.krs)
) as number (type, value)
where number.value is not null;

analyze stage.numbered;
analyze stage.number;

-- One row per pair of neighbours. A node is a company by its id, or, above 2^62, a staged entry.
create unlogged table stage.link as
with shared as (
    select
        number.type,
        number.value,
        min(number.pair_no) as first_pair_no
    from stage.number
    group by number.type, number.value
    having count(*) > 1
)

select
    number.pair_no + 4611686018427387904 as node,
    shared.first_pair_no + 4611686018427387904 as neighbour
from stage.number
join shared using (type, value)
where number.pair_no <> shared.first_pair_no
union
select
    number.pair_no + 4611686018427387904,
    entry.company_id
from stage.number
join registry.entry on entry.nip = number.value
where number.type = 'NIP'
union
select
    number.pair_no + 4611686018427387904,
    entry.company_id
from stage.number
join registry.entry on entry.regon9 = number.value
where number.type = 'REGON9'
union
select
    number.pair_no + 4611686018427387904,
    entry.company_id
from stage.number
join registry.entry on entry.krs = number.value
where number.type = 'KRS'
union
select
    numbered.pair_no + 4611686018427387904,
    numbered.company_id
from stage.numbered
where numbered.company_id is not null;

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

-- One row per new company: numbered in the order in which its first entry stands in the dump.
create unlogged table stage.new_company as
select
    founder.label,
    last_id.last_id + row_number() over (order by founder.pair_no) as company_id
from (
    select
        coalesce(component.label, pair.pair_no + 4611686018427387904) as label,
        min(pair.pair_no) as pair_no
    from stage.pair
    left join stage.component on component.node = pair.pair_no + 4611686018427387904
    where
        pair.entry_id is null
        and coalesce(component.label, 4611686018427387904) >= 4611686018427387904
    group by 1
) as founder
cross join registry.last_id
where last_id.table_name = 'company';

analyze stage.new_company;

-- One row per new entry.
create unlogged table stage.new_entry as
select
    pair.pair_no,
    pair.file_no,
    pair.line,
    last_id.last_id + row_number() over (order by pair.pair_no) as entry_id,
    coalesce(new_company.company_id, component.label) as company_id
from stage.pair
left join stage.component on component.node = pair.pair_no + 4611686018427387904
left join stage.new_company
    on new_company.label = coalesce(component.label, pair.pair_no + 4611686018427387904)
cross join registry.last_id
where
    pair.entry_id is null
    and last_id.table_name = 'entry';

-- One row per company that turns out to be another one: the older stays.
create unlogged table stage.merged_company as
select
    component.node as company_id,
    component.label as into_company_id
from stage.component
where
    component.node < 4611686018427387904
    and component.label <> component.node;
