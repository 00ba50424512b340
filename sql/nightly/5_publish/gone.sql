-- Withholds what gone entries tell of a company whose owner objects at the registry: another entry stands for
-- them, and no dump will tell of them again. As changed entries they go through the later steps.

with objecting as (
    select after.company_id
    from stage.before
    join stage.after using (entry_id)
    where after.is_partial and before.is_partial is not true
    union
    select kept.company_id
    from stage.vanished
    cross join stage.night
    join registry.entry as kept
        on kept.company_id = vanished.company_id
        and kept.source = night.source
    where not vanished.waits and kept.is_partial and kept.gone_date is null
),

known as (
    delete from registry.entry as gone
    using objecting, stage.night
    where
        gone.company_id = objecting.company_id
        and gone.source = night.source
        and gone.gone_date is not null
        and gone.is_partial is not true
    returning gone as entry
),

kept as (
    insert into registry.entry
    select withheld.*
    from known
    cross join lateral registry.withheld(known.entry) as withheld
    returning entry.*
),

noted as (
    insert into stage.before
    select (known.entry).* from known
)

insert into stage.after
table kept;
