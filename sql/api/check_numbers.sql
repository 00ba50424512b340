-- One row per number of the lists $1 of types and $2 of values, in their order: whether it may be a number of
-- its type; null of an unknown type.
select registry.is_number(checked.type, checked.value) as is_number
from unnest($1::text[], $2::text[]) with ordinality as checked (type, value, place)
order by checked.place
