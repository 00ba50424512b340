-- One row: how many are new, and the sum of their hashes.
create unlogged table stage.new_sum as
select
    count(*) as row_count,
    coalesce(
        sum(registry.state_hash(new_entry.entry_key, new_entry.content_hash, null)), 0
    ) as state_hash
from stage.new_entry;
