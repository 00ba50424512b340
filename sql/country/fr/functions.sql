-- Functions for French spellings, for regions of départements, and for the mapping of SIRENE.

-- Returns a text in lower case, without accents and quotation marks. An apostrophe becomes a blank, as in `l eglise`.
create or replace function registry.text_meaning_fr(value text) returns text
language sql stable parallel safe return btrim(registry.text_meaning(translate(value, '''‘’`´', '     ')));

-- Returns a telephone number without the country code of France (33) and without the leading 0 of a national number.
create or replace function registry.telephone_meaning_fr(signs text) returns text
language sql immutable parallel safe
return regexp_replace(signs, '^[a-z]*(00)?(33)?0?(?=[1-9][0-9]{8}([a-z]|$))|^00', '');

-- Returns whether a text of digits, not all of them zeros, passes the Luhn check. The Luhn check doubles every second
-- digit from the right, less 9 if the result has two digits; the sum of all digits must be a multiple of ten.
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
language sql immutable parallel safe return value ~ '^[0-9]{9}$' and registry.is_luhn(value);

-- Returns whether a text is a valid SIRET. The SIRET numbers of La Poste (SIREN 356000000) follow another rule, so
-- their last digit is not checked.
create or replace function registry.is_siret(value text) returns boolean
language sql immutable parallel safe
return value ~ '^[0-9]{14}$'
and registry.is_siren(left(value, 9))
and (left(value, 9) = '356000000' or registry.is_luhn(value));

-- Returns the code of an establishment's region: the region that it states, else the region of its commune's
-- department. A commune's code begins with the code of its department: two characters, or three overseas. For overseas
-- collectivities such as Saint-Pierre-et-Miquelon, which are in no region, returns null.
create or replace function registry.region_fr(establishment jsonb) returns text
language sql immutable parallel safe
return coalesce(
    establishment ->> 'code_region',
    '{
        "971": "01", "972": "02", "973": "03", "974": "04", "976": "06", "75": "11", "77": "11",
        "78": "11", "91": "11", "92": "11", "93": "11", "94": "11", "95": "11", "01": "84",
        "03": "84", "07": "84", "15": "84", "26": "84", "38": "84", "42": "84", "43": "84",
        "63": "84", "69": "84", "73": "84", "74": "84", "04": "93", "05": "93", "06": "93",
        "13": "93", "83": "93", "84": "93", "09": "76", "11": "76", "12": "76", "30": "76",
        "31": "76", "32": "76", "34": "76", "46": "76", "48": "76", "65": "76", "66": "76",
        "81": "76", "82": "76", "16": "75", "17": "75", "19": "75", "23": "75", "24": "75",
        "33": "75", "40": "75", "47": "75", "64": "75", "79": "75", "86": "75", "87": "75",
        "02": "32", "59": "32", "60": "32", "62": "32", "80": "32", "08": "44", "10": "44",
        "51": "44", "52": "44", "54": "44", "55": "44", "57": "44", "67": "44", "68": "44",
        "88": "44", "44": "52", "49": "52", "53": "52", "72": "52", "85": "52", "22": "53",
        "29": "53", "35": "53", "56": "53", "14": "28", "27": "28", "50": "28", "61": "28",
        "76": "28", "21": "27", "25": "27", "39": "27", "58": "27", "70": "27", "71": "27",
        "89": "27", "90": "27", "18": "24", "28": "24", "36": "24", "37": "24", "41": "24",
        "45": "24", "2A": "94", "2B": "94"
    }'::jsonb
    ->> left(
        establishment ->> 'code_commune',
        case when starts_with(establishment ->> 'code_commune', '97') then 3 else 2 end
    )
);

-- Returns a text of SIRENE, or null for the placeholders `[ND]` (withheld), `*` and 1900-01-01 (unknown day).
create or replace function registry.text_fr(written text) returns text
language sql immutable parallel safe return case when written not in ('[ND]', '*', '1900-01-01') then written end;

-- Returns the ISO 3166-1 code of the country of an establishment abroad, a blank for an unknown country, and null for
-- an establishment in France. A territory with an INSEE code of its own gets its own ISO code; a group of territories
-- gets the code of its state. For a known entry, whose country is already an ISO code, the code is returned unchanged.
create or replace function registry.country_fr(establishment jsonb) returns text
language sql immutable parallel safe
return case
    when registry.text_fr(establishment ->> 'code_pays_etranger') is not null then nullif(
        coalesce(
            substring(
                '100FR 101DK 102IS 103NO 104SE 105FI 106EE 107LV 108LT 109DE 110AT 111BG 112HU
                113LI 114RO 116CZ 117SK 118BA 119HR 120ME 121RS 122PL 123RU 124TR 125AL 126GR
                127IT 128SM 129VA 130AD 131BE 132GB 133GI 134ES 135NL 136IE 137LU 138MC 139PT
                140CH 141DE 142DE 143CY 144MT 145SI 148BY 151MD 155UA 156MK 157XK 158FO 159SJ
                160AX 161GB 162ES 201SA 202YE 203IQ 204IR 205LB 206SY 207IL 208TR 209RU 210RU
                211RU 212AF 213PK 214BT 215NP 216CN 217JP 218CN 219TH 220PH 221AE 222JO 223IN
                224MM 225BN 226SG 227MY 228MY 229MV 230HK 231ID 232MO 233YE 234KH 235LK 236TW
                237KR 238KP 239KR 240KW 241LA 242MN 243VN 244VN 245VN 246BD 247AE 248QA 249BH
                250OM 251YE 252AM 253AZ 254CY 255GE 256KZ 257KG 258UZ 259TJ 260TM 261PS 262TL
                263YE 264ID 265AU 301EG 302LR 303ZA 304GM 305CM 306SH 307KE 308IO 309TZ 310ZW
                311NA 312CD 313ES 314GQ 315ET 316LY 317ER 318SO 319PT 320MZ 321BI 322CM 323CF
                324CG 325MA 326CI 327BJ 328GA 329GH 330GN 331BF 332KE 333MG 334MW 335ML 336MR
                337NE 338NG 339UG 340RW 341SN 342SL 343SD 344TD 345TG 346ZM 347BW 348LS 349SS
                350MA 351TN 352DZ 362TZ 363BV 389EH 390MU 391SZ 392GW 393MZ 394ST 395AO 396CV
                397KM 398SC 399DJ 401CA 402CA 403CA 404US 405MX 406CR 407CU 408DO 409GT 410HT
                411HN 412NI 413PA 414SV 415AR 416BR 417CL 418BO 419CO 420EC 421PY 422PE 423UY
                424VE 425GB 426JM 427GB 428GY 429BZ 430GL 431AW 432US 433TT 434BB 435GD 436BS
                437SR 438DM 439LC 440VC 441AG 442KN 443BQ 444CW 445SX 446AQ 447AQ 501AU 502NZ
                503PN 504US 505US 506WS 507NR 508FJ 509TO 510PG 511TV 512SB 513KI 514VU 515MH
                516FM 517PW 519NZ 520CK 521NU 522AU 699AQ'
                from substring(establishment ->> 'code_pays_etranger' from '^99([0-9]{3})$')
                || '([A-Z]{2})'
            ),
            substring(establishment ->> 'code_pays_etranger' from '^[A-Z]{2}$'),
            ''
        ),
        'FR'
    )
    when registry.text_fr(establishment ->> 'libelle_commune_etranger') is not null then ''
end;

-- Returns whether the owner of an establishment withholds any of its fields. If `statut_diffusion` is another letter
-- than O, all fields are withheld; INSEE has used several such letters.
create or replace function registry.is_withheld_fr(establishment jsonb) returns boolean
language sql immutable parallel safe
return establishment ->> 'statut_diffusion' <> 'O' or establishment @? '$.* ? (@ == "[ND]")';

create or replace function registry.unit_dates_fr(created text, closed text) returns jsonb
language sql stable parallel safe
return case
    when registry.calendar_day(registry.text_fr(created)) is null then '[]'
    else jsonb_build_array(jsonb_build_object('type', 'Date de création', 'date', created))
end || case
    when closed is null then '[]'
    else jsonb_build_array(jsonb_build_object('type', 'Date de fermeture', 'date', closed))
end;

-- Returns the address of an establishment in the columns of an entry. Of an address that the owner withholds, only the
-- commune and the country are returned. The caller looks up the long form of the street type, because a join inside
-- this function would run for each row. SIRENE states the last number of a range of house numbers in a field of its
-- own, or in the complement of the address together with the first number (`22BIS-24`, `22 BIS A 24`). The function
-- returns a set of one row, so that PostgreSQL inlines it into the query.
create or replace function registry.address_fr(establishment jsonb, is_withheld boolean, street_type text)
returns table (
    street text, building text, apartment text, postal_code text, city text, country_code text,
    address_id text
)
language sql stable parallel safe rows 1
begin atomic
    select
        registry.join_texts(
            ' ', coalesce(shown.street_type, shown.place ->> 'type_voie'), shown.place ->> 'libelle_voie'
        ),
        registry.join_texts(
            '-',
            nullif(
                concat(
                    shown.place ->> 'numero_voie',
                    coalesce(shown.place ->> 'indice_repetition', numbers.parts[1])
                ),
                ''
            ),
            nullif(
                concat(
                    coalesce(shown.place ->> 'dernier_numero_voie', numbers.parts[2]),
                    shown.place ->> 'indice_repetition_dernier_numero_voie'
                ),
                ''
            )
        ),
        case when numbers.parts is null then shown.place ->> 'complement_adresse' end,
        shown.place ->> 'code_postal',
        coalesce(
            registry.text_fr(establishment ->> 'libelle_commune'),
            registry.text_fr(establishment ->> 'libelle_commune_etranger')
        ),
        registry.country_fr(establishment),
        registry.text_fr(shown.place ->> 'identifiant_adresse')
    from (
        select
            case when not is_withheld then establishment end as place,
            case when not is_withheld then registry.upper(street_type) end as street_type
    ) as shown
    -- The first house number's suffix and the last house number in the complement: `22BIS-24` gives `{BIS, 24}`.
    cross join lateral (
        select case
            when
                shown.place ->> 'complement_adresse' ~ '^[0-9]'
                and shown.place ->> 'numero_voie' ~ '^[0-9]+$'
                then regexp_match(
                    shown.place ->> 'complement_adresse',
                    '^' || (shown.place ->> 'numero_voie')
                    || ' ?([A-Z]|BIS|TER|QUATER|) ?(?:[-/&]|A|AU|ET) ?([0-9]+ ?(?:[A-Z]|BIS|TER|QUATER|))$'
                )
        end as parts
    ) as numbers;
end;

-- Returns the sign (the shop's name) of an establishment, which SIRENE cuts into three fields if it is long.
create or replace function registry.sign_fr(establishment jsonb) returns text
language sql stable parallel safe
return registry.join_texts(
    ' ',
    registry.text_fr(establishment ->> 'enseigne1'),
    registry.text_fr(establishment ->> 'enseigne2'),
    registry.text_fr(establishment ->> 'enseigne3')
);

-- Returns an establishment of SIRENE as a unit of an entry. A head office gets no address, because it has the address
-- of its entry. A function that calls a stable function (registry.sign_fr) is inlined only if it is stable too.
create or replace function registry.unit_fr(
    establishment jsonb,
    is_natural boolean,
    is_withheld boolean,
    dates jsonb,
    address jsonb
) returns jsonb
language sql stable parallel safe
return jsonb_strip_nulls(
    jsonb_build_object(
        'identifier', establishment ->> 'siret',
        'name', case
            when not (is_withheld and is_natural) then coalesce(
                registry.sign_fr(establishment), registry.text_fr(establishment ->> 'denomination_usuelle')
            )
        end,
        'is_closed', case when establishment ->> 'etat_administratif' <> 'A' then true end,
        'dates', dates,
        'address', address,
        'is_partial', case when is_withheld then true end
    )
);

-- Returns the value of a statistic followed by the year of the statistic, such as `12 2023`.
create or replace function registry.dated_fr(value text, year text) returns text
language sql immutable parallel safe return value || coalesce(' ' || substring(year from '^[0-9]{4}$'), '');

-- Returns 'O' if an open establishment employs someone, otherwise the value stated for the legal unit, 'O' or 'N'.
create or replace function registry.employer_fr(unit text, details jsonb) returns text
language sql immutable parallel safe
return case
    when details @? '$[*] ? (@.employer == "O" && @.etat_administratif == "A")' then 'O'
    else coalesce(unit, jsonb_path_query_first(details, '$[*].employer ? (@ != null)') #>> '{}')
end;
