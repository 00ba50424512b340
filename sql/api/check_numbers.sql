-- Returns one row per number: whether the value can be a number of its type. The lists $1 (types) and $2 (values) give
-- the numbers in order.
select registry.is_number(checked.type, checked.value) as is_number
from unnest($1::text[], $2::text[]) with ordinality as checked (type, value, place)
order by checked.place
