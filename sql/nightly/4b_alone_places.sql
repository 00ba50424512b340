-- What becomes of the places of companies of one entry. Runs beside, like 4b_alone.sql.

-- One row per activity and block of which companies change: the places that it will have.
create unlogged table stage.changed_places as
with changed as (
    select code, side.search_no, sum(side.change) as change
    from stage.search_side as side
    cross join unnest(tsvector_to_array(side.codes)) as code
    group by code, side.search_no
    having sum(side.change) <> 0
),

mask as materialized (
    select
        changed.code,
        (changed.search_no >> 13)::smallint as block,
        array_agg((changed.search_no & 8191)::smallint) filter (where changed.change > 0)
            as added,
        array_agg((changed.search_no & 8191)::smallint) filter (where changed.change < 0)
            as lost
    from changed
    group by changed.code, changed.search_no >> 13
)

select
    mask.code,
    mask.block,
    known.code is null as is_new,
    coalesce(mask.added, '{}') || case
        when mask.lost is null then known.places
        when cardinality(mask.lost) = 1 then array_remove(known.places, mask.lost[1])
        else array(
            select place from unnest(known.places) as place
            where place <> all (mask.lost)
        )
    end as places
from mask
left join registry.search_places as known using (code, block)
order by mask.code, mask.block;

analyze stage.changed_places (code, block);
