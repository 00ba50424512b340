-- What search shows of the companies of one entry, as worked out beside. Runs in the transaction that
-- publishes.
update registry.company
set
    nip = alone.nip,
    regon9 = alone.regon9,
    krs = alone.krs,
    name = alone.name,
    status = alone.status,
    legal_form = alone.legal_form,
    voivodeship = alone.voivodeship,
    city = alone.city,
    postal_code = alone.postal_code,
    activity_main = alone.activity_main,
    activity_start = alone.activity_start,
    activity_codes = alone.activity_codes,
    changed_snapshot_no = last_id.last_id + 1
from stage.alone_company as alone
join registry.last_id on last_id.table_name = 'snapshot'
where
    company.company_id = alone.company_id
    and alone.is_changed;

-- Their bits and places come from 4b_alone.sql.
set local registry.search_bits = 'apart';

insert into registry.search (
    company_id, search_no, block, activity_start, status, voivodeship, legal_form, postal_code,
    city, codes, name
)
select
    new_search.company_id, new_search.search_no, (new_search.search_no >> 13)::smallint,
    new_search.activity_start, new_search.status, new_search.voivodeship,
    new_search.legal_form, new_search.postal_code, new_search.city, new_search.codes,
    new_search.name
from stage.new_search;

update registry.search
set
    activity_start = change.activity_start,
    status = change.status,
    voivodeship = change.voivodeship,
    legal_form = change.legal_form,
    postal_code = change.postal_code,
    city = change.city,
    codes = change.codes,
    name = change.name
from stage.search_change as change
where search.search_no = change.search_no;

set local registry.search_bits to default;
