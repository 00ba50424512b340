-- Counts the fields that the new entries have, for fill.sql, in parallel with the transaction that publishes.
-- Reads stage.entry, as new_stock.sql does.
create unlogged table stage.new_fill as
select counted.*
from registry.count_filled(
    'select *
    from stage.entry
    where
        entry.reason is null
        and entry.gone_date is null
        and not exists (
            select from stage.pair
            where pair.file_no = entry.file_no and pair.line = entry.line
        )'
) as counted;
