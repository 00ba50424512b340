-- Keeps former numbers of entries, so that companies can be found by them. Numbers that owners withhold are not kept.

insert into registry.past_number (identifier_type, identifier_value, company_id, last_date)
select
    number.identifier_type, number.identifier_value, before.company_id,
    max(night.dump_date)
from stage.before
join stage.after using (entry_id)
cross join stage.night
cross join lateral registry.changed_numbers(
    row(before.*)::registry.entry, row(after.*)::registry.entry
) as number (identifier_type, event_subject, identifier_value, present_value)
join registry.identifier_type as type using (identifier_type)
where
    number.identifier_value is not null
    and type.company_type is null
    and (number.present_value is not null or number.event_subject = any(after.unstated) is not true)
group by number.identifier_type, number.identifier_value, before.company_id
on conflict on constraint past_number_pkey do update
set last_date = greatest(past_number.last_date, excluded.last_date);

delete from registry.past_number
using stage.after, registry.identifier_type as type
where
    past_number.company_id = after.company_id
    and type.identifier_type = past_number.identifier_type
    and type.stored_in = 'numbers'
    and type.event_subject = any(after.unstated);
