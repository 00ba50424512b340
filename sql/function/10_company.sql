-- This file makes a company from its entries; 07_number.sql chooses the number that names it (`primary_identifier`).

-- Lists the legal forms of each country with their newest symbols. The longer of two symbols is the newer symbol.
create or replace view registry.legal_form_symbol as
select distinct on (legal_form.slug, legal_form.country_code)
    legal_form.slug, legal_form.label, legal_form.symbol,
    coalesce(legal_form.label_en, legal_form.label) as label_en,
    legal_form.country_code
from registry.legal_form
order by legal_form.slug, legal_form.country_code, length(legal_form.symbol) desc, legal_form.symbol desc;

-- Returns the slug (short name) of the legal form with the given newest symbol; without a slug, the symbol itself.
create or replace function registry.legal_form_slug(country_code text, symbol text) returns text
language sql stable parallel safe
return coalesce(
    (
        select legal_form_symbol.slug
        from registry.legal_form_symbol
        where
            legal_form_symbol.country_code = legal_form_slug.country_code
            and legal_form_symbol.symbol = legal_form_slug.symbol
    ),
    symbol
);

create or replace function registry.keep_first(known anyelement, later anyelement) returns anyelement
language sql immutable strict parallel safe
as 'select known';

-- Returns the first value that is not null, in the order of the aggregate's `order by`.
create or replace aggregate registry.first_known(anyelement) (sfunc = registry.keep_first, stype = anyelement);

-- Merges JSON objects of numbers: of each number type, the last number in the aggregate's `order by` remains.
create or replace aggregate registry.last_numbers(jsonb) (sfunc = jsonb_concat, stype = jsonb);

-- Lists one row per company, which is computed from the company's entries and has the columns of registry.company. A
-- company's other names and attributes are stored only with its entries. Each field has the value of the first entry of
-- the company that states the field. The entries are ordered: entries that are not deleted first, then by the rank of
-- their source for the field, then active entries first, then by the latest start date.
create or replace view registry.company_row as
select
    entry.company_id,
    (select registry.next_snapshot_no()) as changed_snapshot_no,
    null::bigint as merged_into_id,
    registry.first_known(entry.start_date order by is_deleted, rank.activity_start, place) as activity_start,
    min(entry.country_code) as country_code,
    registry.first_known(entry.nip order by is_deleted, rank.nip, place) as nip,
    registry.first_known(entry.regon9 order by is_deleted, rank.regon9, place) as regon9,
    registry.first_known(entry.krs order by is_deleted, rank.krs, place) as krs,
    registry.first_known(entry.shown_name order by is_deleted, rank.name, place) as name,
    case
        when bool_or(entry.status = 'ACTIVE') then 'ACTIVE'
        when bool_or(entry.status = 'SUSPENDED') then 'SUSPENDED'
        else 'DELETED'
    end as status,
    registry.first_known(entry.legal_form order by is_deleted, rank.legal_form, place) as legal_form,
    -- All parts of an address come from the same entry.
    (registry.first_known(entry.address order by is_deleted, rank.address, place))[1] as voivodeship,
    (registry.first_known(entry.address order by is_deleted, rank.address, place))[2] as city,
    (registry.first_known(entry.address order by is_deleted, rank.address, place))[3] as postal_code,
    registry.first_known(entry.activity_main order by is_deleted, rank.activity_main, place) as activity_main,
    registry.last_numbers(
        registry.naming_numbers(entry.country_code, entry.entry_key, entry.numbers)
        order by is_deleted desc, place desc
    ) as numbers
from (
    select
        entry.*,
        registry.listed_name(entry) as shown_name,
        entry.status = 'DELETED' as is_deleted,
        case
            when num_nonnulls(entry.voivodeship, entry.city, entry.postal_code) > 0
                then array[entry.voivodeship, entry.city, entry.postal_code]
        end as address,
        row_number() over (
            partition by entry.company_id
            order by
                entry.status = 'ACTIVE' desc,
                entry.start_date desc nulls last,
                entry.entry_id
        ) as place
    from registry.entry
) as entry
left join registry.source_rank as rank using (source)
group by entry.company_id;

\load registry.source_rank from 'country/*/source.csv'

-- Lists the sources (registries), with the code, time zone and language of their countries.
create or replace view registry.source as
select
    source_rank.source, source_rank.country_code, country.time_zone, country.language
from registry.source_rank
join registry.country using (country_code);

-- Updates the given companies in registry.company from their entries.
create or replace function registry.refresh_companies(company_ids bigint[]) returns void
language sql as $$
    insert into registry.company
    select company_row.*
    from registry.company_row
    where company_row.company_id = any(company_ids)
    on conflict (company_id) do update
    set (
        company_id, changed_snapshot_no, merged_into_id, activity_start, country_code, nip, regon9, krs, name,
        status, legal_form, voivodeship, city, postal_code, activity_main, numbers
    ) = row(excluded.*);
$$;
