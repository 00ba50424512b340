-- Entries whose announced end is reached. Runs in the transaction that publishes.
update registry.entry
set status = 'DELETED'
from stage.due
where
    entry.company_id = due.company_id
    and entry.entry_id = due.entry_id;
