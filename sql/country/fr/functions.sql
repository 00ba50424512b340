-- The spelling of France, named by country.csv.

-- The national number: without the prefix of the country and the 0 before it.
create or replace function registry.telephone_meaning_fr(signs text) returns text
language sql immutable parallel safe
return regexp_replace(signs, '^[a-z]*(00)?(33)?0?(?=[1-9][0-9]{8}([a-z]|$))|^00', '');

-- Whether digits, not all of them zeros, pass the formula of Luhn: from the right every second one counts
-- twice, 9 less where that has two digits; the sum is a multiple of ten.
create or replace function registry.is_luhn(value text) returns boolean
language sql immutable parallel safe
return value ~ '[1-9]' and (
    select sum(digit.value * digit.weight - case when digit.value * digit.weight > 9 then 9 else 0 end)
    from (
        select substr(is_luhn.value, position, 1)::integer as value,
            1 + (length(is_luhn.value) - position) % 2 as weight
        from generate_series(1, length(is_luhn.value)) as position
    ) as digit
) % 10 = 0;

create or replace function registry.is_siren(value text) returns boolean
language sql immutable parallel safe
return value ~ '^[0-9]{9}$' and registry.is_luhn(value);

-- The establishments of La Poste, SIREN 356000000, have numbers of another rule.
create or replace function registry.is_siret(value text) returns boolean
language sql immutable parallel safe
return value ~ '^[0-9]{14}$'
and registry.is_siren(left(value, 9))
and (left(value, 9) = '356000000' or registry.is_luhn(value));
