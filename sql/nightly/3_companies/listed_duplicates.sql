-- Links the company of a duplicate entry (2_compare/listed_duplicates.sql) to the company of the entry that replaces
-- it. An event states the number of the duplicate and the remaining number. An entry that continues under the remaining
-- key (2_compare/changed_key.sql) needs no link.

create unlogged table stage.successor as
select
    replaced.company_id, replaced.old_key, replaced.new_key, kept.company_id as kept_company_id,
    kept.entry_id as kept_entry_id
from stage.replaced
cross join stage.night
join registry.entry as kept
    on kept.source = night.source
    and kept.entry_key = replaced.new_key
where replaced.entry_id in (select vanished.entry_id from stage.vanished);

insert into stage.link (node, neighbour, subject, number, is_contradicted)
select kept_company_id, company_id, 'duplicate', new_key, false
from stage.successor
where kept_company_id <> company_id;

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    successor.kept_company_id, successor.kept_entry_id, event_type.event_type, successor.old_key,
    successor.new_key
from stage.successor
cross join stage.night
join registry.identifier_type
    on identifier_type.country_code = night.country_code
    and identifier_type.stored_in = 'key'
join registry.event_type
    on event_type.subject = identifier_type.event_subject
    and 'changed' = any(event_type.changes);
