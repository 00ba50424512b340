-- What search will show of the companies of one entry. Runs beside, before anything is published: only
-- this night writes what it reads.

-- One row per company that was touched and has one entry.
create unlogged table stage.alone_company as
with alone as (
    select
        after.company_id, after.nip, after.regon9, after.krs,
        coalesce(after.name, nullif(concat_ws(' ', after.first_name, after.surname), ''))
            as name,
        after.status, after.legal_form, after.voivodeship, after.city, after.postal_code,
        after.activity_main, after.start_date as activity_start, after.activity_codes
    from stage.touched_company
    join stage.after using (company_id)
    where touched_company.is_alone
    union all
    -- Gone, or ended.
    select
        entry.company_id, entry.nip, entry.regon9, entry.krs,
        coalesce(entry.name, nullif(concat_ws(' ', entry.first_name, entry.surname), '')),
        'DELETED', entry.legal_form, entry.voivodeship, entry.city, entry.postal_code,
        entry.activity_main, entry.start_date, entry.activity_codes
    from stage.touched_company
    join registry.entry using (company_id)
    where
        touched_company.is_alone
        and not exists (select from stage.after where after.entry_id = entry.entry_id)
)

select
    alone.*,
    (
        company.nip, company.regon9, company.krs, company.name, company.status,
        company.legal_form, company.voivodeship, company.city, company.postal_code,
        company.activity_main, company.activity_start, company.activity_codes
    ) is distinct from (
        alone.nip, alone.regon9, alone.krs, alone.name, alone.status, alone.legal_form,
        alone.voivodeship, alone.city, alone.postal_code, alone.activity_main,
        alone.activity_start, alone.activity_codes
    ) as is_changed
from alone
join registry.company using (company_id);

analyze stage.alone_company (company_id);

-- One row per such company of which search shows something else: what it showed, and what it will.
create unlogged table stage.search_change as
with dictionary as (
    select
        (
            select jsonb_object_agg(voivodeship.name, voivodeship.teryt)
            from registry.voivodeship
        ) as voivodeship,
        (
            select jsonb_object_agg(legal_form_symbol.slug, legal_form_symbol.symbol)
            from registry.legal_form_symbol
        ) as legal_form
),

shown as (
    select
        alone.company_id,
        alone.activity_start,
        alone.status,
        (select dictionary.voivodeship from dictionary) ->> lower(alone.voivodeship)
            as voivodeship,
        (select dictionary.legal_form from dictionary) ->> alone.legal_form as legal_form,
        translate(alone.postal_code, ' -', '') as postal_code,
        registry.fold(alone.city) as city,
        array_to_tsvector(alone.activity_codes) as codes,
        registry.fold(alone.name) as name
    from stage.alone_company as alone
    -- Computed once each.
    offset 0
)

select
    known.search_no,
    known.activity_start as old_activity_start,
    known.status as old_status,
    known.voivodeship as old_voivodeship,
    known.legal_form as old_legal_form,
    known.codes as old_codes,
    shown.activity_start,
    shown.status,
    shown.voivodeship,
    shown.legal_form,
    shown.postal_code,
    shown.city,
    shown.codes,
    shown.name
from shown
join registry.search as known using (company_id)
where
    (
        known.activity_start, known.status, known.voivodeship, known.legal_form,
        known.postal_code, known.city, known.codes, known.name
    ) is distinct from (
        shown.activity_start, shown.status, shown.voivodeship, shown.legal_form,
        shown.postal_code, shown.city, shown.codes, shown.name
    );

analyze stage.search_change (search_no);

-- One row per new company of one entry, with its number.
create unlogged table stage.new_search as
select
    (
        (select coalesce(max(search.search_no), 0) from registry.search)
        + row_number() over (order by new_search_row.company_id)
    )::integer as search_no,
    new_search_row.*
from stage.new_search_row;

-- One row per company and side of a change, 1 what it has now and -1 what it no longer has; nothing
-- where both sides say the same.
create unlogged table stage.search_side as
select search_no, 1 as change, status, voivodeship, legal_form, codes, activity_start
from stage.new_search
union all
select
    search_no, 1, nullif(status, old_status), nullif(voivodeship, old_voivodeship),
    nullif(legal_form, old_legal_form), nullif(codes, old_codes),
    nullif(activity_start, old_activity_start)
from stage.search_change
union all
select
    search_no, -1, nullif(old_status, status), nullif(old_voivodeship, voivodeship),
    nullif(old_legal_form, legal_form), nullif(old_codes, codes),
    nullif(old_activity_start, activity_start)
from stage.search_change;

-- One row per term and block of which companies change: the bits that it will have.
create unlogged table stage.changed_bits (
    term text collate "C" not null,
    block smallint not null,
    is_new boolean not null,
    bits bit(8192) not null
);

-- The terms of activities, or all others: two sessions fill the table.
create function stage.change_bits(of_activities boolean) returns void
language sql as $$
    with changed as (
        select term, side.search_no, sum(side.change) as change
        from stage.search_side as side
        cross join registry.search_terms(
            case when not of_activities then side.status end,
            case when not of_activities then side.voivodeship end,
            case when not of_activities then side.legal_form end,
            case when of_activities then side.codes end,
            case when not of_activities then side.activity_start end
        ) as term
        group by term, side.search_no
        having sum(side.change) <> 0
    ),

    mask as materialized (
        select
            changed.term,
            (changed.search_no >> 13)::smallint as block,
            coalesce(
                bit_or(set_bit(0::bit(8192), changed.search_no & 8191, 1))
                filter (where changed.change > 0),
                0::bit(8192)
            ) as added,
            coalesce(
                bit_or(set_bit(0::bit(8192), changed.search_no & 8191, 1))
                filter (where changed.change < 0),
                0::bit(8192)
            ) as lost
        from changed
        group by changed.term, changed.search_no >> 13
    )

    insert into stage.changed_bits (term, block, is_new, bits)
    select
        mask.term,
        mask.block,
        known.term is null,
        coalesce(known.bits & ~ mask.lost, 0::bit(8192)) | mask.added
    from mask
    left join registry.search_bits as known using (term, block)
    order by mask.term, mask.block
$$;
