-- Makes one document for each legal unit in the answers of SIRENE, with the columns of `stage.record`. A value in an
-- answer replaces the value of the known entry. Of several answers about a legal unit, the answer with the latest day
-- of change (`touched`) applies. The head office is the first establishment of a document, as in a stock (source.ts).
-- map.sql makes the entries, such as their other names.

-- A small sample of the keys suffices for good query plans; a larger sample would take longer than it saves.
set local default_statistics_target = 10;

-- Holds one row per legal unit or establishment in an answer, with its columns in the JSON object `stated`. `is_own` is
-- false for a legal unit that an answer states only as a part of an establishment.
create unlogged table stage.sirene_part as
select
    answer.file_no,
    answer.line,
    answer.answer ->> 'siren' as siren,
    part.stated ->> 'siret' as siret,
    part.is_own,
    part.stated,
    coalesce(part.stated ->> 'touched', '') as touched
from stage.answer
cross join lateral (
    values (true, answer.answer -> 'own'), (false, answer.answer -> 'unit')
) as part (is_own, stated)
where part.stated is not null;

create index on stage.sirene_part (siren);
analyze stage.sirene_part (siren, siret, is_own);

update stage.file
set processed_until = newest.day
from (
    select part.file_no, max(registry.calendar_day(left(part.touched, 10))) as day
    from stage.sirene_part as part
    where part.is_own
    group by part.file_no
) as newest
where newest.file_no = file.file_no;

-- Holds one row per legal unit: the columns that the answers state, with the file and the line of one of the answers.
create unlogged table stage.sirene_unit as
with newest as (
    select distinct on (siren, is_own, siret is null) siren, is_own, siret, file_no, line, stated
    from stage.sirene_part
    order by siren, is_own, siret is null, touched desc, file_no, line
)

select
    place.siren, place.file_no, place.line,
    coalesce(nested.stated, '{}') || case when place.siret is null then place.stated else '{}' end
        as stated
from (
    select distinct on (siren) newest.*
    from newest
    where is_own
    order by siren, siret is not null
) as place
left join newest as nested on nested.siren = place.siren and not nested.is_own;

analyze stage.sirene_unit (siren, file_no, line);

-- Rejects an establishment whose legal unit is neither in an answer nor a known entry.
with unknown as (
    delete from stage.sirene_unit as unit
    where
        unit.stated = '{}'
        and not exists (
            select from registry.entry
            where entry.source = 'sirene' and entry.entry_key = unit.siren
        )
    returning unit.*
)

insert into stage.reject (file_no, line, reject_code, reason, raw, entry_key)
select
    file_no, line, 'missing_report', 'an establishment without its legal unit', answer.raw, unknown.siren
from unknown
join stage.answer using (file_no, line);

-- Holds one row per legal unit with an answer and a known entry: the columns of the entry, which answers may lack.
create unlogged table stage.sirene_known as
select
    entry.entry_key as siren, entry.units, entry.address_ids, entry.closed_units, entry.other_names,
    jsonb_build_object(
        'statut_diffusion', case when entry.is_partial then 'P' else 'O' end,
        'date_creation', entry.start_date,
        'identifiant_association', case
            when 'KRS' = any(entry.unstated) then '[ND]'
            else entry.numbers ->> 'RNA'
        end,
        'etat_administratif', case entry.declared_status when 'DELETED' then 'C' else 'A' end,
        'date_debut', entry.end_date,
        'categorie_juridique', entry.legal_form,
        'activite_principale', entry.activity_main,
        'nomenclature_activite_principale', activity_scheme.scheme,
        'activite_principale_naf25', entry.announced_activity,
        'nic_siege', right(entry.units #>> '{0,identifier}', 5)
    )
    -- An attribute's type is the name of its column. The usual values of attributes, which an entry omits, are added.
    || coalesce('{"workforce_band": "NN", "employer": "N"}' || entry.attributes, '{}')
    || case
        when name.is_stated then '{}'
        else jsonb_build_object(
            case entry.entity_type when 'NATURAL' then 'nom' else 'denomination' end,
            case when 'name' = any(entry.unstated) then '[ND]' else entry.name end
        )
    end as columns,
    name.is_stated as tells_name,
    jsonb_build_object(
        'street', entry.street, 'building', entry.building, 'apartment', entry.apartment,
        'postal_code', entry.postal_code, 'city', entry.city,
        'voivodeship', registry.region_name('FR', entry.voivodeship),
        'country_code', entry.address_country_code
    ) as address
from stage.sirene_unit as unit
join registry.entry on entry.source = 'sirene' and entry.entry_key = unit.siren
left join registry.activity_scheme on activity_scheme.version = entry.activity_version
-- An entry stores a person's name as one text, so only an answer with both first name and surname replaces the name.
cross join lateral (
    select case entry.entity_type
        when 'NATURAL' then
            unit.stated ?| '{prenom1, prenom_usuel}' and unit.stated ?| '{nom, nom_usage}'
        else unit.stated ?| '{denomination, denomination_usuelle1, sigle}'
    end as is_stated
) as name;

create index on stage.sirene_known (siren);
analyze stage.sirene_known (siren);

-- Holds one row per establishment of the legal units with an answer, from the answers and the known entries.
create unlogged table stage.sirene_establishment as
with stated as (
    select distinct on (siret) siren, siret, stated
    from stage.sirene_part
    where siret is not null
    order by siret, touched desc, file_no, line
),

known as (
    select
        known.siren,
        unit.value ->> 'identifier' as siret,
        unit.value,
        known.columns -> 'date_creation' as start_date,
        known.address_ids[unit.place] as address_id,
        -- The head office has the address of its entry.
        coalesce(unit.value -> 'address', known.address)
        || case when unit.place = 1 then jsonb_build_object('code_commune', known.columns -> 'commune') else '{}' end
            as address,
        -- The first establishment gets the attribute `employer` of the known entry.
        case when unit.place = 1 then known.columns -> 'employer' end as employer,
        coalesce(
            split_part(known.columns -> 'unit_activities' ->> (unit.value ->> 'identifier'), ' ', -1),
            -- An entry with `attributes` omits an establishment's activity that equals the main activity of the entry.
            case when known.columns ? 'employer' then known.columns ->> 'activite_principale' else '' end
        ) as activity,
        known.other_names @> jsonb_build_array(
            jsonb_build_object('type', 'usual_name', 'value', unit.value ->> 'name')
        ) as has_usual_name
    from stage.sirene_known as known
    cross join lateral jsonb_array_elements(known.units) with ordinality as unit (value, place)
)

select
    siren,
    siret,
    jsonb_build_object(
        'siret', siret,
        'statut_diffusion', case when known.value ? 'is_partial' then 'P' else 'O' end,
        'employer', known.employer,
        'activity', known.activity,
        'etat_administratif', case
            when known.value ? 'is_closed' then 'F'
            when known.value is not null then 'A'
        end,
        'date_creation', case
            -- If a known head office has no dates, it began on the same day as its legal unit.
            when known.value ? 'dates' then jsonb_path_query_first(
                known.value, '$.dates[*] ? (@.type == "Date de création").date'
            )
            else known.start_date
        end,
        'date_debut',
        jsonb_path_query_first(known.value, '$.dates[*] ? (@.type == "Date de fermeture").date')
    )
    || case
        when stated.stated ?| '{enseigne1, enseigne2, enseigne3, denomination_usuelle}' then '{}'
        else jsonb_build_object(
            case when known.has_usual_name then 'denomination_usuelle' else 'enseigne1' end, known.value -> 'name'
        )
    end
    || case
        when stated.stated ?| '{code_commune, libelle_commune, libelle_voie}' then '{}'
        else jsonb_build_object(
            'libelle_voie', known.address -> 'street',
            'numero_voie', known.address -> 'building',
            'complement_adresse', known.address -> 'apartment',
            'code_postal', known.address -> 'postal_code',
            'libelle_commune', known.address -> 'city',
            'code_pays_etranger', nullif(known.address ->> 'country_code', 'FR'),
            'identifiant_adresse', known.address_id,
            'code_commune', known.address -> 'code_commune',
            'code_region', registry.region_code('FR', known.address ->> 'voivodeship')
        )
    end
    || coalesce(stated.stated, '{}') as columns
from stated
full join known using (siren, siret);

create index on stage.sirene_establishment (siren);
analyze stage.sirene_establishment (siren, siret);

insert into stage.document (file_no, line, entry_key_hint, document, raw)
select
    unit.file_no, unit.line, unit.siren,
    whole.columns || jsonb_build_object(
        'siren', unit.siren,
        'details', listed.details,
        'closed_units', closed.units,
        'withheld_units', listed.withheld_units
    ),
    answer.raw
from stage.sirene_unit as unit
join stage.answer using (file_no, line)
left join stage.sirene_known as known using (siren)
cross join lateral (
    select
        coalesce(known.columns, '{}')
        || case
            when known.tells_name is false
                then unit.stated - '{prenom1, prenom_usuel, nom, nom_usage, denomination}'::text[]
            else unit.stated
        end
        -- The known head office stays if neither an answer nor the known entry describes the new head office.
        - case
            when
                known.columns ? 'nic_siege'
                and not exists (
                    select from stage.sirene_establishment as seat
                    where
                        seat.siren = unit.siren
                        and seat.siret = unit.siren || (unit.stated ->> 'nic_siege')
                )
                then 'nic_siege'
            else ''
        end as columns
    -- `offset 0` makes PostgreSQL compute the columns once, instead of at each use.
    offset 0
) as whole
cross join lateral (
    select
        coalesce(
            jsonb_agg(one.columns order by not place.is_seat, one.siret)
                filter (where place.state = 'A' or place.is_seat),
            '[]'
        ) as details,
        string_agg(one.siret, ' ')
            filter (where place.state = 'F' and one.columns ->> 'statut_diffusion' <> 'O')
            as withheld_units,
        array_agg(one.siret) filter (where place.state = 'F' and not place.is_seat) as closed,
        array_agg(one.siret) filter (where place.state = 'A' or place.is_seat) as listed
    from stage.sirene_establishment as one
    cross join lateral (
        select
            one.columns ->> 'etat_administratif' as state,
            coalesce(one.siret = unit.siren || (whole.columns ->> 'nic_siege'), false) as is_seat
    ) as place
    where one.siren = unit.siren
) as listed
-- The closed establishments: known closed ones that have not reopened, and those that an answer states as closed.
cross join lateral (
    select string_agg(number.value, ' ' order by number.value) as units
    from (
        select unnest(known.closed_units)
        except
        select unnest(listed.listed)
        union
        select unnest(listed.closed)
    ) as number (value)
) as closed;
