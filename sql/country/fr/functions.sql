-- The spelling of France, named by country.csv.

-- The national number: without the prefix of the country and the 0 before it.
create or replace function registry.telephone_meaning_fr(signs text) returns text
language sql immutable parallel safe
return regexp_replace(signs, '^[a-z]*(00)?(33)?0?(?=[1-9][0-9]{8}([a-z]|$))|^00', '');
