-- What the search shows of new companies of one entry. Runs in the transaction that publishes.
insert into registry.search (
    company_id, search_no, block, activity_start, status, voivodeship, legal_form, postal_code,
    city, codes, name
)
select
    new_row.company_id, new_row.search_no, (new_row.search_no >> 13)::smallint,
    new_row.activity_start, new_row.status, new_row.voivodeship, new_row.legal_form,
    new_row.postal_code, new_row.city, new_row.codes, new_row.name
from (
    select
        (
            (select coalesce(max(search.search_no), 0) from registry.search)
            + row_number() over (order by new_search_row.company_id)
        )::integer as search_no,
        new_search_row.*
    from stage.new_search_row
) as new_row;
