-- What the search will show of new companies of one entry, which is nearly all new ones. The
-- dictionaries are asked as objects, so that a million entries need no join.
create view stage.new_search_row as
select
    new_entry.company_id,
    new_entry.start_date as activity_start,
    new_entry.status,
    (
        select jsonb_object_agg(voivodeship.name, voivodeship.teryt)
        from registry.voivodeship
    ) ->> lower(new_entry.voivodeship) as voivodeship,
    (
        select jsonb_object_agg(legal_form_symbol.slug, legal_form_symbol.symbol)
        from registry.legal_form_symbol
    ) ->> new_entry.legal_form as legal_form,
    translate(new_entry.postal_code, ' -', '') as postal_code,
    registry.fold(new_entry.city) as city,
    array_to_tsvector(new_entry.activity_codes) as codes,
    registry.fold(
        coalesce(
            new_entry.name, nullif(concat_ws(' ', new_entry.first_name, new_entry.surname), '')
        )
    ) as name
from stage.new_entry
where not new_entry.is_linked;
