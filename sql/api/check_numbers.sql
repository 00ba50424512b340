-- Returns whether a value can be a number of its type, one row per number. The lists $1 of types and $2 of values give
-- the numbers in order.
select registry.is_number(checked.type, checked.value) as is_number
from unnest($1::text[], $2::text[]) with ordinality as checked (type, value, place)
order by checked.place
