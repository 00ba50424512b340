-- Compares each corroboration (nightly/5_publish/corroborate.sql) of a registry with the event that it confirms.
select format(
    'event %s of company %s, which %s confirmed on %s, is not what it reported',
    corroboration.event_id, corroboration.company_id, corroboration.source, corroboration.event_date
) as finding
from registry.corroboration
left join registry.event using (company_id, event_id)
left join registry.entry
    on (entry.company_id, entry.entry_id) = (corroboration.company_id, corroboration.entry_id)
left join registry.entry as stated
    on (stated.company_id, stated.entry_id) = (event.company_id, event.entry_id)
where
    corroboration.source = $1::text
    and num_nonnulls(entry.withdrawn_until, stated.withdrawn_until) = 0
    and (
        event.source <> corroboration.source
        and entry.source = corroboration.source
        and abs(event.event_date - corroboration.event_date) <= registry.confirmation_days()
        and registry.event_meaning(
            entry.country_code, event.event_type, event.old_value, event.new_value
        )
        = registry.event_meaning(
            entry.country_code, event.event_type, corroboration.old_value, corroboration.new_value
        )
    ) is not true
order by corroboration.event_id
limit 100;
