-- Stores the old keys of entries of the source $1 as past numbers, by which their companies are still found. $2 is a
-- list of {old_key, new_key}, and $3 the time of the change.
insert into registry.past_number (identifier_type, identifier_value, company_id, last_date)
select distinct type.identifier_type, duplicate.old_key, entry.company_id, $3::timestamptz::date
from jsonb_to_recordset($2) as duplicate (old_key text, new_key text)
join registry.entry
    on entry.source = $1
    and entry.entry_key = duplicate.new_key
join registry.identifier_type as type
    on type.country_code = entry.country_code
    and type.stored_in = 'key'
on conflict on constraint past_number_pkey do update
set last_date = excluded.last_date;
