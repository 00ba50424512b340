-- Refuses a snapshot in which two records of the dump belong to the same entry.
select format('two records for the entry %s', pair.entry_id) as refusal
from stage.pair
group by pair.entry_id
having count(*) > 1;
