-- Records that turned out to repeat or contradict each other go, and entries that share a number come
-- to one company.
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
