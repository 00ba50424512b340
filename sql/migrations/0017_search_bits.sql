-- What the search counts by: for each thing that companies have in common, which ones have it. Blocks
-- are those of `registry.search`; a place is the number of a company beyond the first of its block.

-- One row per term that many companies have, and block in which some company has it (all blocks for
-- the terms `start`): the bit of a place, from the left, is set where the company has it. Terms are
-- `status ACTIVE`, `voivodeship 14`, `legal_form 099`; `activity 47` and other beginnings of
-- activities of one to three digits; `start` for a known date, and `start 00` … `start 16` for the
-- binary digits of its day, the lowest first.
create table registry.search_bits (
    term text collate "C" not null,
    block smallint not null,
    bits bit(8192) not null,
    constraint search_bits_pkey primary key (term, block)
) with (autovacuum_vacuum_scale_factor = 0.05);
alter table registry.search_bits alter column bits set storage plain;

-- One row per activity, and block in which some company has it: the places of those that have.
create table registry.search_places (
    code text collate "C" not null,
    block smallint not null,
    places smallint [] not null,
    constraint search_places_pkey primary key (code, block)
) with (autovacuum_vacuum_scale_factor = 0.05);

-- The number that the binary digits are of, ascending with the days: 8 for the year since 1900, 4 for
-- the month, which ends with 15, and 5 for the day, so that what lasts for whole years or months has
-- ends that take few digits to compare. What is beyond those years is put at their end.
create function registry.search_day(day date) returns integer
language sql immutable parallel safe
return case
    when day < '1900-01-01' then 0
    when day > '2155-12-31' then 131071
    else
        (extract(year from day)::integer - 1900 << 9)
        | (extract(month from day)::integer + 3 << 5)
        | extract(day from day)::integer
end;

-- The terms of a company that have bits; the columns are those of `registry.search`.
create function registry.search_terms(
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
    select 'start ' || lpad(digit::text, 2, '0')
    from generate_series(0, 16) as digit
    where registry.search_day(activity_start) >> digit & 1 = 1;
end;

create view registry.search_start_term as
select 'start' as term
union all
select 'start ' || lpad(digit::text, 2, '0')
from generate_series(0, 16) as digit;

-- Bits and places follow the table of the search, by what companies have now (change 1) and no longer
-- have (-1): `before` and `after` are the rows that a statement has changed.
create function registry.change_search_bits() returns trigger
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
            cross join (values (1), (-1)) as side (change)'
    end;
begin
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
                ) as removed
            from changed
            group by term, search_no >> 13
        ),
        kept as (
            update registry.search_bits as known
            set bits = (known.bits & ~ mask.removed) | mask.added
            from mask
            where mask.term = known.term and mask.block = known.block
            returning known.term, known.block
        )
        insert into registry.search_bits (term, block, bits)
        select mask.term, mask.block, mask.added
        from mask
        left join kept using (term, block)
        where kept.term is null';
    -- Whoever compares days finds all digits.
    if tg_op <> 'DELETE' then
        execute
            'insert into registry.search_bits (term, block, bits)
            select start_term.term, told.block, 0::bit(8192)
            from (select distinct (search_no >> 13)::smallint as block from after) as told
            cross join registry.search_start_term as start_term
            where not exists (
                select from registry.search_bits as known
                where known.term = start_term.term and known.block = told.block
            )';
    end if;
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
                array_agg((search_no & 8191)::smallint) filter (where change < 0) as removed
            from changed
            group by code, search_no >> 13
        ),
        kept as (
            update registry.search_places as known
            set places = mask.added || case
                when mask.removed is null then known.places
                else array(
                    select place from unnest(known.places) as place
                    where place <> all (mask.removed)
                )
            end
            from mask
            where mask.code = known.code and mask.block = known.block
            returning known.code, known.block
        )
        insert into registry.search_places (code, block, places)
        select mask.code, mask.block, mask.added
        from mask
        left join kept using (code, block)
        where kept.code is null';
    return null;
end;
$$;

-- Called again when another table takes the place of the search.
create procedure registry.follow_search()
language sql as $$
    create trigger search_bits_insert
    after insert on registry.search
    referencing new table as after
    for each statement execute function registry.change_search_bits();

    create trigger search_bits_update
    after update on registry.search
    referencing old table as before new table as after
    for each statement execute function registry.change_search_bits();

    create trigger search_bits_delete
    after delete on registry.search
    referencing old table as before
    for each statement execute function registry.change_search_bits();
$$;

insert into registry.search_bits (term, block, bits)
select term, search.block, bit_or(set_bit(0::bit(8192), search.search_no & 8191, 1))
from registry.search
cross join registry.search_terms(
    search.status, search.voivodeship, search.legal_form, search.codes, search.activity_start
) as term
group by term, search.block;

insert into registry.search_bits (term, block, bits)
select start_term.term, search.block, 0::bit(8192)
from (select distinct search.block from registry.search) as search
cross join registry.search_start_term as start_term
on conflict (term, block) do nothing;

insert into registry.search_places (code, block, places)
select code, search.block, array_agg((search.search_no & 8191)::smallint)
from registry.search
cross join unnest(tsvector_to_array(search.codes)) as code
group by code, search.block;

call registry.follow_search();

-- What few companies have in common is found in the table.
drop index registry.search_term_idx;
drop index registry.search_shape_idx;
create index search_city_idx on registry.search (city, search_no);
create index search_postal_code_idx on registry.search (postal_code);
