-- As before; the dictionaries are asked as objects, so that no company looks through them.
create or replace view registry.search_row as
select
    company.company_id,
    company.activity_start,
    company.status,
    (
        select jsonb_object_agg(voivodeship.name, voivodeship.teryt)
        from registry.voivodeship
    ) ->> lower(company.voivodeship) as voivodeship,
    (
        select jsonb_object_agg(legal_form_symbol.slug, legal_form_symbol.symbol)
        from registry.legal_form_symbol
    ) ->> company.legal_form as legal_form,
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
