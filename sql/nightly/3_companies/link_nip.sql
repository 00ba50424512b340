-- Links the components of link.sql that share a NIP; link.sql explains contradictions. The NIP comes
-- last, since all entries of a component together can contradict it.

-- One row per NIP and component, for each NIP of several components. first_label: the label of the
-- oldest component.
create unlogged table stage.same_nip as
with holder as (
    select suspect_node.nip, suspect_node.node
    from stage.suspect_node
    where suspect_node.nip is not null
    union
    select node.nip, holder.node
    from stage.node
    join registry.entry using (nip)
    join stage.night on night.country_code = entry.country_code
    cross join lateral (
        values
        (node.node),
        (entry.company_id)
    ) as holder (node)
    where node.node <> entry.company_id
),

labelled as (
    select distinct
        holder.nip,
        coalesce(component.label, holder.node) as label
    from holder
    left join stage.component using (node)
)

select labelled.*
from (
    select
        labelled.*,
        min(labelled.label) over (partition by labelled.nip) as first_label,
        max(labelled.label) over (partition by labelled.nip) as last_label
    from labelled
) as labelled
where labelled.first_label <> labelled.last_label;

analyze stage.same_nip;

-- One row per such component and entry: the state of today or, without a record of today, the known
-- state.
create unlogged table stage.nip_holder as
with member as (
    select same_nip.label, same_nip.label as node
    from stage.same_nip
    union
    select component.label, component.node
    from stage.component
    where component.label in (select same_nip.label from stage.same_nip)
),

present as (
    select suspect_node.* from stage.suspect_node
    union all
    -- While there are no known entries, only suspect nodes share a number.
    select node.* from stage.node where exists (select from registry.entry)
)

select
    member.label,
    present.regon9,
    present.krs,
    present.entity_type,
    present.surname,
    present.first_name
from member
join present using (node)
union
select
    member.label,
    entry.regon9,
    entry.krs,
    entry.entity_type,
    entry.surname,
    entry.first_name
from member
join registry.entry on entry.company_id = member.node
where not exists (
    select from stage.pair
    where pair.entry_id = entry.entry_id
);

analyze stage.nip_holder;

-- One row per NIP and pair of its components that differ in REGON.
create unlogged table stage.nip_doubt as
select
    younger.nip,
    younger.label,
    older.label as older_label,
    bool_or(
        stage.is_somebody_else(
            one.entity_type, one.krs, one.surname, one.first_name,
            other.entity_type, other.krs, other.surname, other.first_name
        )
    ) as is_contradicted,
    bool_or(one.entity_type = 'LEGAL') as is_legal
from stage.same_nip as younger
join stage.same_nip as older using (nip)
join stage.nip_holder as one on one.label = younger.label
join stage.nip_holder as other on other.label = older.label
where
    older.label < younger.label
    and one.regon9 <> other.regon9
group by younger.nip, younger.label, older.label;

analyze stage.nip_doubt;

-- Links a component to the oldest component with its NIP, unless it contradicts any older one of them.
-- Otherwise a third component could link two components that contradict each other.
insert into stage.link (node, neighbour, subject, number, is_contradicted)
select
    same_nip.label,
    same_nip.first_label,
    'NIP of another company',
    same_nip.nip,
    exists (
        select from stage.nip_doubt
        where
            nip_doubt.nip = same_nip.nip
            and nip_doubt.label = same_nip.label
            and nip_doubt.is_contradicted
    )
from stage.same_nip
where same_nip.label <> same_nip.first_label;

select stage.label_components();

insert into stage.notice (subject, value, row_count)
select
    link.subject,
    link.number,
    count(*)
from stage.link
where link.is_contradicted
group by link.subject, link.number
union all
select
    'NIP with several REGON',
    nip_doubt.nip,
    count(*)
from stage.nip_doubt
where nip_doubt.is_legal and not nip_doubt.is_contradicted
group by nip_doubt.nip;

-- One row per known company that is merged into an older one.
create unlogged table stage.merged_company as
select
    component.node as company_id,
    component.label as into_company_id
from stage.component
where
    component.label <> component.node
    and exists (
        select from registry.company
        where company.company_id = component.node
    );

analyze stage.merged_company;
