-- Normalises the spelling of Poland, and defines functions that its registries share. country.csv names the functions;
-- spelling.csv has the words that are written in several ways.

-- Returns an address on one line, with one spelling of a postal code, and of a city that is its own county ('m.st.').
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

-- Returns a national telephone number, without the prefix of the country and the 0 before the area code.
create or replace function registry.telephone_meaning_pl(signs text) returns text
language sql immutable parallel safe
return regexp_replace(signs, '^[a-z]*(00)?(48)?0?(?=[0-9]{9}([a-z]|$))|^00', '');

-- Returns a name with one spelling of its legal form, written out or in short, with and without dots.
create or replace function registry.text_meaning_pl(name text) returns text
language sql stable parallel safe
return regexp_replace(
    regexp_replace(
        regexp_replace(
            btrim(regexp_replace(registry.text_meaning(name), '[. ]+', ' ', 'g')),
            '\m(spolka|sp) z (ograniczona odpowiedzialnoscia|o ?o)\M', 'spzoo'
        ),
        '\m(?:(p)(?:rosta spolka akcyjna| s a)|spolka (?:(k)omandytowo-)?akcyjna|s (?:(k) )?a)\M',
        '\1s\2\3a', 'g'
    ),
    '\m(?:spolka|sp|s) ?(?:(c)(?:ywilna)?|(j)(?:awna)?|(k)(?:omandytowa)?|(p)(?:artnerska)?)\M',
    's\1\2\3\4'
);

-- Returns a postal code with blanks or another dash, such as '16 - 400', as '16-400'. Other texts stay unchanged.
create or replace function registry.postal_code_pl(written text) returns text
language sql immutable parallel safe
return case
    when length(written) = 6 and substr(written, 3, 1) = '-' then written
    else regexp_replace(written, '^([0-9]{2}) *[-–—] *([0-9]{3})$', '\1-\2')
end;

-- Returns whether a registry's status of a number means that the number is cancelled. Some answers lack Polish
-- letters.
create or replace function registry.is_cancelled(status text) returns boolean
language sql immutable parallel safe
return coalesce(
    registry.lower(status) ~ '^(uchyl|uniewa|anulow|cofni|skre.l|wykre.l|niewa.n|nieakt)', false
);

-- Returns the sum of the first nine bytes, each by its weight. Reading digits as bytes costs a third less than
-- dividing.
create or replace function registry.weigh(bytes bytea, weights integer[]) returns integer
language sql immutable parallel safe
return get_byte(bytes, 0) * weights[1]
+ get_byte(bytes, 1) * weights[2]
+ get_byte(bytes, 2) * weights[3]
+ get_byte(bytes, 3) * weights[4]
+ get_byte(bytes, 4) * weights[5]
+ get_byte(bytes, 5) * weights[6]
+ get_byte(bytes, 6) * weights[7]
+ get_byte(bytes, 7) * weights[8]
+ get_byte(bytes, 8) * weights[9];

-- Returns whether a NIP has ten digits and the right check digit, modulo 11.
create or replace function registry.is_nip(value text) returns boolean
language sql immutable parallel safe
return case
    when length(value) = 10 and translate(value, '0123456789', '') = '' then
        (registry.weigh(value::bytea, '{6, 5, 7, 2, 3, 4, 5, 6, 7}') - 45 * 48) % 11
        = get_byte(value::bytea, 9) - 48 and value <> '0000000000'
    else false
end;

-- Returns whether a REGON has nine digits and the right check digit, modulo 11, 10 being 0. `isRegon14` of
-- pipeline/sources/regon/answer.ts checks the 14 digits of a local unit.
create or replace function registry.is_regon9(value text) returns boolean
language sql immutable parallel safe
return case
    when length(value) = 9 and translate(value, '0123456789', '') = '' then
        (registry.weigh(value::bytea, '{8, 9, 2, 3, 4, 5, 6, 7, 0}') - 44 * 48) % 11 % 10
        = get_byte(value::bytea, 8) - 48 and value <> '000000000'
    else false
end;

-- Returns whether a KRS number has ten digits; it has no check digit.
create or replace function registry.is_krs(value text) returns boolean
language sql immutable parallel safe
return value ~ '^[0-9]{10}$' and value <> '0000000000';
