-- What a first snapshot was loaded from had not been compared yet.

-- One row per entry that was loaded otherwise: without a company, it was rejected.
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
