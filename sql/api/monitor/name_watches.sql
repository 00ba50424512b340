-- Copies the client's references (names of companies in the client's own data) from the items of the submission $1 to
-- the watches. If several items have the same company, the client's reference in the last of these items is stored. An
-- empty reference deletes the stored reference.
update customer.watch
set reference = nullif(named.reference, '')
from (
    select distinct on (watch_id) watch_id, reference
    from customer.submission_item
    where submission_id = $1::bigint and reference is not null
    order by watch_id, item_no desc
) as named
where watch.watch_id = named.watch_id
