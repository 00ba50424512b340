-- Returns one row per number of the lists $1 (types) and $2 (values): whether the value can be a number of its type.
select registry.is_number(checked.type, checked.value) as is_number
from unnest($1::text[], $2::text[]) with ordinality as checked (type, value, place)
order by checked.place
