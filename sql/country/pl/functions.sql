-- Functions that normalise Polish spellings, and functions that the mappings of several registries call. country.csv
-- names the functions for spellings; spelling.csv has the words with several spellings.

-- Returns an address line in one spelling, such as of the postal code, and without 'm.' or 'm.st.' before a city. KRS
-- repeats the name of a village without streets as the street, so the repetition is removed.
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

-- Returns a telephone number without the country code of Poland (48) and without the 0 before the area code.
create or replace function registry.telephone_meaning_pl(signs text) returns text
language sql immutable parallel safe return regexp_replace(signs, '^[a-z]*(00)?(48)?0?(?=[0-9]{9}([a-z]|$))|^00', '');

-- Returns a company's name in one spelling, whether its legal form is abbreviated or not, and with or without dots.
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

-- Returns a Polish postal code with blanks or another dash ('16 - 400') as '16-400', and any other text unchanged.
create or replace function registry.postal_code_pl(written text) returns text
language sql immutable parallel safe
return case
    when length(written) = 6 and substr(written, 3, 1) = '-' then written
    else regexp_replace(written, '^([0-9]{2}) *[-–—] *([0-9]{3})$', '\1-\2')
end;

-- Returns whether the status that a registry gives to a NIP or REGON means that the number is cancelled. A dot in the
-- pattern stands for a Polish letter that some answers write without its diacritic.
create or replace function registry.is_cancelled(status text) returns boolean
language sql immutable parallel safe
return coalesce(
    registry.lower(status) ~ '^(uchyl|uniewa|anulow|cofni|skre.l|wykre.l|niewa.n|nieakt)', false
);

-- Returns the sum of the first nine bytes of a number, each multiplied by its weight. Reading the digits as bytes takes
-- a third less time than dividing a number.
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

-- Returns whether a text is a valid NIP: ten digits, the last of which is the right check digit.
create or replace function registry.is_nip(value text) returns boolean
language sql immutable parallel safe
return case
    when length(value) = 10 and translate(value, '0123456789', '') = '' then
        (registry.weigh(value::bytea, '{6, 5, 7, 2, 3, 4, 5, 6, 7}') - 45 * 48) % 11
        = get_byte(value::bytea, 9) - 48 and value <> '0000000000'
    else false
end;

-- Returns whether a text is a valid REGON of nine digits. The last digit is the weighted sum of the others modulo 11,
-- or 0 for 10. `isRegon14` in pipeline/sources/regon/answer.ts checks a local unit's REGON of 14 digits.
create or replace function registry.is_regon9(value text) returns boolean
language sql immutable parallel safe
return case
    when length(value) = 9 and translate(value, '0123456789', '') = '' then
        (registry.weigh(value::bytea, '{8, 9, 2, 3, 4, 5, 6, 7, 0}') - 44 * 48) % 11 % 10
        = get_byte(value::bytea, 8) - 48 and value <> '000000000'
    else false
end;

-- Returns whether a text is a KRS number: ten digits, not all zeros. A KRS number has no check digit.
create or replace function registry.is_krs(value text) returns boolean
language sql immutable parallel safe return value ~ '^[0-9]{10}$' and value <> '0000000000';
