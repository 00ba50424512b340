-- The spelling of Poland, named by country.csv, and what its registries have in common.

-- An address on one line: one spelling of a postal code, and of a city that is a county of its own ('m.st.').
-- KRS repeats the name of a village without streets as its street.
create or replace function registry.address_meaning_pl(line text) returns text
language sql stable parallel safe
return regexp_replace(
    regexp_replace(
        registry.spell(
            'PL',
            regexp_replace(
                registry.text_meaning(line), '(^|,)([0-9]{2})[ -]?([0-9]{3})(?![0-9])', '\1\2\3'
            )
        ),
        '(^|, )([0-9]{5} )?m (st )?',
        '\1\2'
    ),
    '^([^0-9,]+) ((dz )?[0-9][^,]*, ([0-9]{5} )?)\1(?= ,|$)',
    '\2\1'
);

-- The national number: without the prefix of the country and the 0 before the area code.
create or replace function registry.telephone_meaning_pl(signs text) returns text
language sql immutable parallel safe
return regexp_replace(signs, '^[a-z]*(00)?(48)?0?(?=[0-9]{9}([a-z]|$))|^00', '');

-- A postal code with blanks or another dash within, such as '16 - 400', as '16-400'; all else as it is.
create or replace function registry.postal_code_pl(written text) returns text
language sql immutable parallel safe
return case
    when length(written) = 6 and substr(written, 3, 1) = '-' then written
    else regexp_replace(written, '^([0-9]{2}) *[-–—] *([0-9]{3})$', '\1-\2')
end;

-- Whether a registry's status of a number says that it is cancelled. Some answers lack Polish letters.
create or replace function registry.is_cancelled(status text) returns boolean
language sql immutable parallel safe
return coalesce(
    registry.lower(status) ~ '^(uchyl|uniewa|anulow|cofni|skre.l|wykre.l|niewa.n|nieakt)', false
);
