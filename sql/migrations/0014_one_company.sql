-- One company out of the entries of several registries.

-- One row per field that search shows and source that tells it: of the entries of a company that
-- differ, that of the smallest rank is believed, and one that is deleted only where no other tells
-- the field. 'address' is the voivodeship, the city and the postal code of one entry.
create table registry.field_source (
    field text not null,
    source text not null,
    rank smallint not null,
    constraint field_source_pkey primary key (field, source),
    constraint field_source_rank_key unique (field, rank),
    constraint field_source_rank_positive check (rank > 0)
);

insert into registry.field_source (field, source, rank)
values
-- What the courts enter is in force by being entered; of entrepreneurs CEIDG is that register.
('name', 'krs', 1),
('name', 'ceidg', 2),
('name', 'regon', 3),
('legal_form', 'krs', 1),
('legal_form', 'ceidg', 2),
('legal_form', 'regon', 3),
('address', 'krs', 1),
('address', 'ceidg', 2),
('address', 'regon', 3),
-- KRS keeps the codes of an old classification, and does not tell when a company began.
('activity_main', 'ceidg', 1),
('activity_main', 'regon', 2),
('activity_main', 'krs', 3),
('activity_start', 'ceidg', 1),
('activity_start', 'regon', 2),
('activity_start', 'krs', 3),
-- Who gives a number knows it best; the NIP, which none of them gives, GUS has from the tax office.
('nip', 'ceidg', 1),
('nip', 'regon', 2),
('nip', 'krs', 3),
('regon9', 'regon', 1),
('regon9', 'ceidg', 2),
('regon9', 'krs', 3),
('krs', 'krs', 1),
('krs', 'regon', 2),
('krs', 'ceidg', 3);

-- One row per source: its rank for each field; null where no rank is given, which comes last.
create view registry.source_rank as
select
    field_source.source,
    min(field_source.rank) filter (where field_source.field = 'name') as name,
    min(field_source.rank) filter (where field_source.field = 'legal_form') as legal_form,
    min(field_source.rank) filter (where field_source.field = 'address') as address,
    min(field_source.rank) filter (where field_source.field = 'activity_main') as activity_main,
    min(field_source.rank) filter (where field_source.field = 'activity_start') as activity_start,
    min(field_source.rank) filter (where field_source.field = 'nip') as nip,
    min(field_source.rank) filter (where field_source.field = 'regon9') as regon9,
    min(field_source.rank) filter (where field_source.field = 'krs') as krs
from registry.field_source
group by field_source.source;

-- What search shows of a company, out of its entries. Of several entries of one source the active one
-- goes first, then the one that started last.
create function registry.show_company(id bigint)
returns table (
    country_code text,
    nip text,
    regon9 text,
    krs text,
    name text,
    status text,
    legal_form text,
    voivodeship text,
    city text,
    postal_code text,
    activity_main text,
    activity_start date
)
language sql stable parallel safe
as $$
    select
        min(entry.country_code),
        (
            array_agg(entry.nip order by entry.is_deleted, entry.rank_nip, entry.place)
            filter (where entry.nip is not null)
        )[1],
        (
            array_agg(entry.regon9 order by entry.is_deleted, entry.rank_regon9, entry.place)
            filter (where entry.regon9 is not null)
        )[1],
        (
            array_agg(entry.krs order by entry.is_deleted, entry.rank_krs, entry.place)
            filter (where entry.krs is not null)
        )[1],
        (
            array_agg(entry.name order by entry.is_deleted, entry.rank_name, entry.place)
            filter (where entry.name is not null)
        )[1],
        case
            when bool_or(entry.status = 'ACTIVE') then 'ACTIVE'
            when bool_or(entry.status = 'SUSPENDED') then 'SUSPENDED'
            else 'DELETED'
        end,
        (
            array_agg(entry.legal_form order by entry.is_deleted, entry.rank_legal_form, entry.place)
            filter (where entry.legal_form is not null)
        )[1],
        (
            array_agg(entry.voivodeship order by entry.is_deleted, entry.rank_address, entry.place)
            filter (where entry.has_address)
        )[1],
        (
            array_agg(entry.city order by entry.is_deleted, entry.rank_address, entry.place)
            filter (where entry.has_address)
        )[1],
        (
            array_agg(entry.postal_code order by entry.is_deleted, entry.rank_address, entry.place)
            filter (where entry.has_address)
        )[1],
        (
            array_agg(
                entry.activity_main order by entry.is_deleted, entry.rank_main, entry.place
            ) filter (where entry.activity_main is not null)
        )[1],
        (
            array_agg(entry.start_date order by entry.is_deleted, entry.rank_start, entry.place)
            filter (where entry.start_date is not null)
        )[1]
    from (
        select
            entry.country_code,
            entry.nip,
            entry.regon9,
            entry.krs,
            coalesce(
                entry.name, nullif(concat_ws(' ', entry.first_name, entry.surname), '')
            ) as name,
            entry.status,
            entry.legal_form,
            entry.voivodeship,
            entry.city,
            entry.postal_code,
            entry.activity_main,
            entry.start_date,
            entry.status = 'DELETED' as is_deleted,
            num_nonnulls(entry.voivodeship, entry.city, entry.postal_code) > 0 as has_address,
            row_number() over (
                order by entry.status = 'ACTIVE' desc, entry.start_date desc nulls last, entry.entry_id
            ) as place,
            source_rank.nip as rank_nip,
            source_rank.regon9 as rank_regon9,
            source_rank.krs as rank_krs,
            source_rank.name as rank_name,
            source_rank.legal_form as rank_legal_form,
            source_rank.address as rank_address,
            source_rank.activity_main as rank_main,
            source_rank.activity_start as rank_start
        from registry.entry
        left join registry.source_rank using (source)
        where entry.company_id = id
    ) as entry
    having count(*) > 0
$$;

update registry.company
set
    nip = shown.nip,
    regon9 = shown.regon9,
    krs = shown.krs,
    name = shown.name,
    status = shown.status,
    legal_form = shown.legal_form,
    voivodeship = shown.voivodeship,
    city = shown.city,
    postal_code = shown.postal_code,
    activity_main = shown.activity_main,
    activity_start = shown.activity_start
from (
    select entry.company_id
    from registry.entry
    group by entry.company_id
    having count(*) > 1
) as several
cross join lateral registry.show_company(several.company_id) as shown
where company.company_id = several.company_id;

-- One row per event and other registry that told the same change: it is told once. The values are
-- those that this registry told; its old one may be another, and its spelling of the new one.
create table registry.corroboration (
    company_id bigint not null,
    event_id bigint not null,
    source text not null,
    run_id bigint not null,
    entry_id bigint not null,
    event_date date not null,
    old_value text,
    new_value text,
    constraint corroboration_pkey primary key (company_id, event_id, source),
    constraint corroboration_run_fkey foreign key (run_id) references registry.run
);

create view analyst.corroboration as
select
    corroboration.event_id,
    corroboration.event_date,
    corroboration.source,
    corroboration.company_id,
    event.event_type,
    corroboration.old_value,
    corroboration.new_value,
    event.source as event_source,
    event.event_date as told_date
from registry.corroboration
join registry.event using (company_id, event_id);

-- What an event says has become of a company, whoever writes it: without case, accents, quotation
-- marks and the ways to write a street, a telephone number or an address on the web. Where the new
-- value is gone the old one is what the event is about; when a company is reopened, nothing is.
create function registry.event_meaning(
    event_type text,
    old_value text,
    new_value text
) returns text
language sql stable parallel safe
return case
    when event_type = 'COMPANY_REOPENED' then ''
    when event_type like 'COMPANY\_ADDRESS\_%' then regexp_replace(
        registry.fold(coalesce(new_value, old_value)), '^ul(\.|ica )\s*|\s+', '', 'g'
    )
    when event_type like 'COMPANY\_PHONE\_%' or event_type like 'COMPANY\_FAX\_%'
        then regexp_replace(
            regexp_replace(coalesce(new_value, old_value), '[^0-9a-z]', '', 'gi'),
            '^(00)?48(?=[0-9]{9}$)',
            ''
        )
    when event_type like 'COMPANY\_WEBSITE\_%' then regexp_replace(
        lower(coalesce(new_value, old_value)), '^https?://|/$', '', 'g'
    )
    else translate(
        regexp_replace(registry.fold(coalesce(new_value, old_value)), '\s+', ' ', 'g'),
        '"''„”«»',
        ''
    )
end;
