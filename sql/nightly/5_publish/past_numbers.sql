-- Keeps the numbers that entries lost, so that a company is still found by them.

insert into registry.past_number (identifier_type, identifier_value, company_id, last_date)
select
    number.identifier_type,
    number.identifier_value,
    before.company_id,
    max(night.dump_date)
from stage.before
join stage.after using (entry_id)
cross join stage.night
cross join lateral (
    values
    ('NIP', before.nip, after.nip),
    ('REGON9', before.regon9, after.regon9),
    ('KRS', before.krs, after.krs)
) as number (identifier_type, identifier_value, present_value)
where
    number.identifier_value is not null
    and number.identifier_value is distinct from number.present_value
group by number.identifier_type, number.identifier_value, before.company_id
on conflict on constraint past_number_pkey do update
set last_date = greatest(past_number.last_date, excluded.last_date);
