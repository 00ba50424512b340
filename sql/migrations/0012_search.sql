-- What the search reads: one narrow row per company, without case and accents.
create extension if not exists unaccent;
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Wherever the extensions are: what is made here refers to them by their ids.
select set_config(
    'search_path',
    (
        select string_agg(distinct quote_ident(pg_namespace.nspname), ', ')
        from pg_extension
        join pg_namespace on pg_namespace.oid = pg_extension.extnamespace
        where pg_extension.extname in ('unaccent', 'pg_trgm')
    ),
    true
);

-- Text as the search compares it. Stable, so that Postgres expands it in place.
create function registry.fold(value text) returns text
language sql stable parallel safe
return lower(unaccent('unaccent', value));

-- One row per company that is not merged into another one. `search_no` orders the results: it numbers
-- the companies without great gaps, in the order in which they became known, and never changes; a
-- block is 8192 numbers, in which the search counts. `voivodeship` is the TERYT symbol, `legal_form`
-- the newest symbol of the form; `codes` are the activities of its entries that are not deleted, or of
-- all of them where the company is.
create table registry.search (
    company_id bigint not null,
    search_no integer not null,
    activity_start date,
    block smallint not null,
    status text collate "C" not null,
    voivodeship text collate "C",
    legal_form text collate "C",
    postal_code text collate "C",
    city text collate "C",
    codes tsvector not null,
    name text collate "C",
    constraint search_pkey primary key (search_no),
    constraint search_block_of_number check (block = search_no >> 13)
) with (
    fillfactor = 90, autovacuum_vacuum_scale_factor = 0.002, autovacuum_analyze_scale_factor = 0.02
);

create unique index search_company_idx on registry.search (company_id);
-- Filters of few companies, in any combination, and names; the night adds to their lists at once what
-- it has gathered; …
create index search_term_idx on registry.search
using gin (codes, voivodeship, status, legal_form, city, postal_code)
with (gin_pending_list_limit = 65536);
create index search_name_idx on registry.search using gin (name gin_trgm_ops)
with (gin_pending_list_limit = 65536);
-- … and filters of many, which are counted without a look at the table.
create index search_shape_idx on registry.search (
    status, voivodeship, legal_form, activity_start, block
);

set local search_path to default;

-- One row per legal form with its newest symbol; those of three digits are newer.
create view registry.legal_form_symbol as
select distinct on (legal_form.slug)
    legal_form.slug,
    legal_form.symbol,
    legal_form.label
from registry.legal_form
order by legal_form.slug, length(legal_form.symbol) desc, legal_form.symbol desc;

-- One row per company that is known already: what the search shows of it.
create view registry.search_row as
select
    company.company_id,
    company.activity_start,
    company.status,
    (
        select voivodeship.teryt
        from registry.voivodeship
        where voivodeship.name = lower(company.voivodeship)
    ) as voivodeship,
    (
        select legal_form_symbol.symbol
        from registry.legal_form_symbol
        where legal_form_symbol.slug = company.legal_form
    ) as legal_form,
    translate(company.postal_code, ' -', '') as postal_code,
    registry.fold(company.city) as city,
    (
        select array_to_tsvector(coalesce(array_agg(code), '{}'))
        from registry.entry
        cross join unnest(entry.activity_codes) as code
        where
            entry.company_id = company.company_id
            and (entry.status <> 'DELETED' or company.status = 'DELETED')
    ) as codes,
    registry.fold(company.name) as name
from registry.company
where company.merged_into_id is null;

insert into registry.search (
    company_id, search_no, block, activity_start, status, voivodeship, legal_form, postal_code,
    city, codes, name
)
select
    search_row.company_id, search_row.search_no, (search_row.search_no >> 13)::smallint,
    search_row.activity_start, search_row.status, search_row.voivodeship, search_row.legal_form,
    search_row.postal_code, search_row.city, search_row.codes, search_row.name
from (
    select
        row_number() over (order by search_row.company_id)::integer as search_no,
        search_row.*
    from registry.search_row
) as search_row;
