-- One row: how many are new, not counting what is struck off when it is first seen; how many rows that
-- makes with those; and the sum of their hashes.
create unlogged table stage.new_sum as
select
    count(*) filter (where new_entry.gone_date is null) as new_count,
    count(*) as row_count,
    coalesce(
        sum(
            registry.state_hash(new_entry.entry_key, new_entry.content_hash, new_entry.gone_date)
        ),
        0
    ) as state_hash
from stage.new_entry;
