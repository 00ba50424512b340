-- What the search shows of each company that the night touched, but those of 4e_alone.sql.
delete from registry.search
using stage.merged_company
where search.company_id = merged_company.company_id;

insert into registry.search as known (
    company_id, search_no, block, activity_start, status, voivodeship, legal_form, postal_code,
    city, codes, name
)
select
    touched_row.company_id, touched_row.search_no, (touched_row.search_no >> 13)::smallint,
    touched_row.activity_start, touched_row.status, touched_row.voivodeship,
    touched_row.legal_form, touched_row.postal_code, touched_row.city, touched_row.codes,
    touched_row.name
from (
    select
        coalesce(
            search.search_no,
            (select coalesce(max(search.search_no), 0) from registry.search)
            + row_number() over (
                partition by search.search_no is null order by search_row.company_id
            )
        )::integer as search_no,
        search_row.*
    from stage.touched_company
    join registry.search_row using (company_id)
    left join registry.search using (company_id)
    where not touched_company.is_alone
) as touched_row
on conflict (company_id) do update
set
    activity_start = excluded.activity_start,
    status = excluded.status,
    voivodeship = excluded.voivodeship,
    legal_form = excluded.legal_form,
    postal_code = excluded.postal_code,
    city = excluded.city,
    codes = excluded.codes,
    name = excluded.name
where
    (
        known.activity_start, known.status, known.voivodeship, known.legal_form,
        known.postal_code, known.city, known.codes, known.name
    ) is distinct from (
        excluded.activity_start, excluded.status, excluded.voivodeship, excluded.legal_form,
        excluded.postal_code, excluded.city, excluded.codes, excluded.name
    );

-- What this night adds to the lists of the index goes to its place at once, so that no search has to
-- look through it.
select gin_clean_pending_list('registry.search_name_idx');
