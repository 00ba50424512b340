-- What the night recognises entries by against the entries themselves.
select format('the key of entry %s does not agree with it', coalesce(entry.entry_id, entry_key.entry_id))
    as finding
from (
    select entry.* from registry.entry where entry.source = $1::text
) as entry
full join (
    select entry_key.* from registry.entry_key where entry_key.source = $1
) as entry_key using (entry_id)
where
    (entry.company_id, entry.entry_key, entry.gone_date is not null)
    is distinct from (entry_key.company_id, entry_key.entry_key, entry_key.is_gone)
order by 1
limit 100;
