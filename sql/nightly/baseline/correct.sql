-- What a first snapshot was loaded from had not been compared yet: records that turned out to repeat or
-- contradict each other go, and entries that share a number come to one company. Runs in the
-- transaction that publishes.

-- One row per entry that was loaded otherwise: without a company, it goes.
create unlogged table stage.correction as
select
    last_id.last_id + file.lines_before + place.line as entry_id,
    place.company_id
from (
    select
        reject.file_no,
        reject.line,
        null::bigint as company_id
    from stage.reject
    union all
    select
        ((linked.node - 4611686018427387904) / 1099511627776)::integer,
        linked.node % 1099511627776,
        linked.company_id
    from stage.linked
    where linked.node >= 4611686018427387904
) as place
join stage.file using (file_no)
join registry.last_id on last_id.table_name = 'entry';

analyze stage.correction;

delete from stage.first_entry
using stage.correction
where
    correction.company_id is null
    and first_entry.company_id = correction.entry_id
    and first_entry.entry_id = correction.entry_id;

update stage.first_entry
set company_id = correction.company_id
from stage.correction
where
    correction.company_id <> correction.entry_id
    and first_entry.company_id = correction.entry_id
    and first_entry.entry_id = correction.entry_id;
