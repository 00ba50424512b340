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

-- One row per new entry. It founds a company with its own id unless it is connected with another one.
create or replace view stage.new_entry as
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
