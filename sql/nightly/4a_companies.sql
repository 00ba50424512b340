-- Which company the entries of today belong to: the one whose numbers they share.

insert into stage.linked (node, label, company_id)
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
