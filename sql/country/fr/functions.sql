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

-- The region of a commune by its code. The first characters of it are those of its department: three of
-- overseas ones. Collectivities such as Saint-Pierre-et-Miquelon lie in no region.
create or replace function registry.region_of_commune_fr(commune text) returns text
language sql immutable parallel safe
return case
    when left(commune, 3) in ('971', '972', '973', '974', '976')
        then (array['01', '02', '03', '04', null, '06'])[substr(commune, 3, 1)::integer]
    when left(commune, 2) in ('75', '77', '78', '91', '92', '93', '94', '95') then '11'
    when left(commune, 2) in (
        '01', '03', '07', '15', '26', '38', '42', '43', '63', '69', '73', '74'
    ) then '84'
    when left(commune, 2) in ('04', '05', '06', '13', '83', '84') then '93'
    when left(commune, 2) in (
        '09', '11', '12', '30', '31', '32', '34', '46', '48', '65', '66', '81', '82'
    ) then '76'
    when left(commune, 2) in (
        '16', '17', '19', '23', '24', '33', '40', '47', '64', '79', '86', '87'
    ) then '75'
    when left(commune, 2) in ('02', '59', '60', '62', '80') then '32'
    when left(commune, 2) in (
        '08', '10', '51', '52', '54', '55', '57', '67', '68', '88'
    ) then '44'
    when left(commune, 2) in ('44', '49', '53', '72', '85') then '52'
    when left(commune, 2) in ('22', '29', '35', '56') then '53'
    when left(commune, 2) in ('14', '27', '50', '61', '76') then '28'
    when left(commune, 2) in ('21', '25', '39', '58', '70', '71', '89', '90') then '27'
    when left(commune, 2) in ('18', '28', '36', '37', '41', '45') then '24'
    when left(commune, 2) in ('2A', '2B') then '94'
end;

-- A day as SIRENE writes it; 1900-01-01 stands for one that is not known.
create or replace function registry.day_fr(written text) returns text
language sql immutable parallel safe
return nullif(written, '1900-01-01');

-- A text as SIRENE writes it: what its owner withholds is null, and so is an asterisk, which means nothing.
create or replace function registry.text_fr(written text) returns text
language sql immutable parallel safe
return case when written not in ('[ND]', '*') then written end;

-- The name of an establishment: its signs, which may be one that was cut, else the usual name. Postgres
-- does not inline an immutable function that calls a stable one, such as concat_ws.
create or replace function registry.unit_name_fr(establishment jsonb) returns text
language sql stable parallel safe
return coalesce(
    nullif(
        concat_ws(
            ' ',
            registry.text_fr(establishment ->> 'enseigne1'),
            registry.text_fr(establishment ->> 'enseigne2'),
            registry.text_fr(establishment ->> 'enseigne3')
        ),
        ''
    ),
    registry.text_fr(establishment ->> 'denomination_usuelle')
);

create or replace function registry.unit_dates_fr(created text, closed text) returns jsonb
language sql stable parallel safe
return case
    when registry.calendar_day(registry.day_fr(created)) is null then '[]'
    else jsonb_build_array(jsonb_build_object('type', 'Date de création', 'date', created))
end || case
    when closed is null then '[]'
    else jsonb_build_array(jsonb_build_object('type', 'Date de fermeture', 'date', closed))
end;

-- The address of an establishment in the shape of a unit, without its region. The commune is told of every
-- one, all else not of one whose owner withholds it. Two vocabularies of streets stand side by side: the
-- caller looks up the type of street, since Postgres inlines no function with a subquery.
create or replace function registry.address_fr(
    establishment jsonb,
    is_withheld boolean,
    street_type text
) returns jsonb
language sql stable parallel safe
return case
    when is_withheld then '{}'
    else jsonb_build_object(
        'street', nullif(
            concat_ws(
                ' ',
                coalesce(registry.upper(street_type), establishment ->> 'type_voie'),
                establishment ->> 'libelle_voie'
            ),
            ''
        ),
        -- A group of numbers was written in one field, and is written in two.
        'building', nullif(
            concat_ws(
                '-',
                nullif(
                    concat(establishment ->> 'numero_voie', establishment ->> 'indice_repetition'), ''
                ),
                nullif(
                    concat(
                        establishment ->> 'dernier_numero_voie',
                        establishment ->> 'indice_repetition_dernier_numero_voie'
                    ),
                    ''
                )
            ),
            ''
        ),
        'apartment', establishment ->> 'complement_adresse',
        'postal_code', establishment ->> 'code_postal'
    )
end || jsonb_build_object(
    'city', coalesce(
        establishment ->> 'libelle_commune', establishment ->> 'libelle_commune_etranger'
    ),
    'country_code', coalesce(establishment ->> 'libelle_pays_etranger', 'FR')
);
