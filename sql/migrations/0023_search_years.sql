-- The time of the start in fewer bits: `start 2001` for one in that year or later, from 1950 to 2155, and
-- `start 0` … `start 8` for the binary digits of its day of the year, the lowest first. A block in which
-- nobody has a term has no row of it any more.

-- The number that the binary digits are of, ascending with the days of a year: 4 digits for the month,
-- of which the last one is 15, and 5 for the day.
create or replace function registry.search_day(day date) returns integer
language sql immutable parallel safe
return (extract(month from day)::integer + 3 << 5) | extract(day from day)::integer;

-- The terms of a company that have bits; the columns are those of `registry.search`.
create or replace function registry.search_terms(
    status text, voivodeship text, legal_form text, codes tsvector, activity_start date
) returns setof text
language sql immutable parallel safe
begin atomic
    select 'status ' || status where status is not null
    union all
    select 'voivodeship ' || voivodeship where voivodeship is not null
    union all
    select 'legal_form ' || legal_form where legal_form is not null
    union all
    select distinct 'activity ' || left(code, length)
    from unnest(tsvector_to_array(codes)) as code
    cross join unnest(array[1, 2, 3]) as length
    union all
    select 'start' where activity_start is not null
    union all
    select 'start ' || year
    from generate_series(
        1950,
        case when activity_start < '2156-01-01' then extract(year from activity_start)::integer
            when activity_start is not null then 2155
        end
    ) as year
    union all
    select 'start ' || digit
    from generate_series(0, 8) as digit
    where registry.search_day(activity_start) >> digit & 1 = 1;
end;

-- Bits and places follow the table of the search: `before` and `after` are the rows that a statement
-- has changed, and what a company has now counts 1, what it no longer has -1.
create or replace function registry.change_search_bits() returns trigger
language plpgsql as $$
declare
    told constant text = case tg_op
        when 'INSERT' then
            'select search_no, 1 as change, status, voivodeship, legal_form, codes, activity_start
            from after'
        when 'DELETE' then
            'select search_no, -1 as change, status, voivodeship, legal_form, codes, activity_start
            from before'
        else
            -- Only what is another one now.
            'select
                search_no, side.change,
                case when before.status <> after.status
                    then case side.change when 1 then after.status else before.status end
                end as status,
                case when before.voivodeship is distinct from after.voivodeship
                    then case side.change when 1 then after.voivodeship else before.voivodeship end
                end as voivodeship,
                case when before.legal_form is distinct from after.legal_form
                    then case side.change when 1 then after.legal_form else before.legal_form end
                end as legal_form,
                case when before.codes <> after.codes
                    then case side.change when 1 then after.codes else before.codes end
                end as codes,
                case when before.activity_start is distinct from after.activity_start
                    then case side.change
                        when 1 then after.activity_start
                        else before.activity_start
                    end
                end as activity_start
            from before
            join after using (search_no)
            cross join (values (1), (-1)) as side (change)
            where (
                before.status, before.voivodeship, before.legal_form, before.codes,
                before.activity_start
            ) is distinct from (
                after.status, after.voivodeship, after.legal_form, after.codes,
                after.activity_start
            )'
    end;
    is_any boolean;
begin
    execute 'select count(*) > 0 from (' || told || ') as told' into is_any;
    if not is_any then
        return null;
    end if;
    execute
        'with changed as (
            select term, told.search_no, sum(told.change) as change
            from (' || told || ') as told
            cross join registry.search_terms(
                told.status, told.voivodeship, told.legal_form, told.codes, told.activity_start
            ) as term
            group by term, told.search_no
            having sum(told.change) <> 0
        ),
        mask as materialized (
            select
                term, (search_no >> 13)::smallint as block,
                coalesce(
                    bit_or(set_bit(0::bit(8192), search_no & 8191, 1)) filter (where change > 0),
                    0::bit(8192)
                ) as added,
                coalesce(
                    bit_or(set_bit(0::bit(8192), search_no & 8191, 1)) filter (where change < 0),
                    0::bit(8192)
                ) as lost
            from changed
            group by term, search_no >> 13
        ),
        kept as (
            update registry.search_bits as known
            set bits = (known.bits & ~ mask.lost) | mask.added
            from mask
            where known.term = mask.term and known.block = mask.block
        )
        insert into registry.search_bits (term, block, bits)
        select mask.term, mask.block, mask.added
        from mask
        where not exists (
            select from registry.search_bits as known
            where known.term = mask.term and known.block = mask.block
        )';
    execute
        'with changed as (
            select code, told.search_no, sum(told.change) as change
            from (' || told || ') as told
            cross join unnest(tsvector_to_array(told.codes)) as code
            group by code, told.search_no
            having sum(told.change) <> 0
        ),
        mask as materialized (
            select
                code, (search_no >> 13)::smallint as block,
                array_agg((search_no & 8191)::smallint) filter (where change > 0) as added,
                array_agg((search_no & 8191)::smallint) filter (where change < 0) as lost
            from changed
            group by code, search_no >> 13
        ),
        kept as (
            update registry.search_places as known
            set places = mask.added || case
                when mask.lost is null then known.places
                when cardinality(mask.lost) = 1 then array_remove(known.places, mask.lost[1])
                else array(
                    select place from unnest(known.places) as place
                    where place <> all (mask.lost)
                )
            end
            from mask
            where known.code = mask.code and known.block = mask.block
        )
        insert into registry.search_places (code, block, places)
        select mask.code, mask.block, mask.added
        from mask
        where not exists (
            select from registry.search_places as known
            where known.code = mask.code and known.block = mask.block
        )';
    return null;
end;
$$;

drop view if exists registry.search_start_term;
alter table registry.search_places set (fillfactor = 85);

delete from registry.search_bits
where term = 'start' or term like 'start %';

insert into registry.search_bits (term, block, bits)
select term, search.block, bit_or(set_bit(0::bit(8192), search.search_no & 8191, 1))
from registry.search
cross join registry.search_terms(
    search.status, search.voivodeship, search.legal_form, search.codes, search.activity_start
) as term
where term = 'start' or term like 'start %'
group by term, search.block;
