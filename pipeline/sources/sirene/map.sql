-- Maps each legal unit of SIRENE to the columns of an entry. `details` lists the head office and then the other active
-- establishments, with the columns of establishment.csv. In sql/country/fr, attribute_type.csv lists the attributes,
-- such as `social_economy`, and attribute_value.csv names their codes. The functions `address_fr` and `unit_fr` of
-- sql/country/fr/functions.sql and sql/nightly/1_read/normalise.sql empty the fields that an owner withholds.
-- 5_publish/hide_withheld_fields.sql erases such data from earlier events.
select
    record.file_no, record.line, record.fingerprint, record.siren as entry_key,
    case when unit.is_natural then 'NATURAL' else 'LEGAL' end as entity_type,
    unit.legal_form, unit.name, address.postal_code, address.city, address.street, address.building,
    address.apartment,
    registry.region_fr(unit.head) as voivodeship,
    activity.version::text as activity_version,
    activity.code as activity_main,
    coalesce(activity.code, '') as activity_codes,
    record.is_well_formed,
    record.etat_administratif as status_text,
    case record.etat_administratif
        when 'C' then 'DELETED'
        -- A unit whose known establishments are all closed is suspended; a unit without known establishments is active.
        when 'A' then case
            when
                open.count > 0
                or place.units is null and nullif(record.closed_units, '') is null
                then 'ACTIVE'
            else 'SUSPENDED'
        end
    end as declared_status,
    unit.start_date,
    -- `date_debut` is the day of the last change of any kind, so a known end date stays.
    case
        when record.etat_administratif = 'C'
            then coalesce(known.end_date::text, registry.text_fr(record.date_debut))
    end as end_date,
    case
        when record.etat_administratif = 'A' and open.count = 0 then coalesce(
            case when known.declared_status = 'SUSPENDED' then known.suspension_date::text end,
            greatest(case when not seat.is_open then seat.begin_day end, other.closed_day)
        )
    end as suspension_date,
    case
        when record.etat_administratif = 'A' and open.count > 0 then case known.declared_status
            when 'SUSPENDED'
                then least(case when seat.is_open then seat.begin_day end, other.opened_day)
            when 'ACTIVE' then known.resumption_date::text
        end
    end as resumption_date,
    address.country_code as address_country_code,
    place.units,
    case
        when registry.text_fr(record.identifiant_association) is not null
            then jsonb_build_object('RNA', record.identifiant_association)
    end as numbers,
    unit.is_partial,
    -- Lists the subjects (parts of an entry) not stated by INSEE. If INSEE begins to state one or no longer does, no
    -- event is made.
    nullif(
        array_remove(
            array[
                case
                    when
                        unit.name is null
                        and (
                            unit.is_partial
                            or '[ND]' in (
                                record.denomination, record.denomination_usuelle1, record.sigle,
                                record.prenom_usuel, record.prenom1, record.nom_usage, record.nom,
                                record.pseudonyme
                            )
                        )
                        then 'name'
                end,
                case when unit.is_partial or seat.is_withheld then 'address' end,
                case when unit.start_day is null then 'start date' end,
                -- The RNA number of an association has the subject 'KRS', like the KRS number of a Polish company.
                case when record.identifiant_association = '[ND]' then 'KRS' end,
                case when record.categorie_juridique = '[ND]' then 'legal form' end
            ],
            null
        ) || case
            when record.activite_principale = '[ND]'
                then '{main activity, activities, activity}'::text[]
        end,
        '{}'
    ) as unstated,
    case
        when record.etat_administratif = 'A' and activity.version is distinct from 2026
            then nullif(
                translate(registry.text_fr(record.activite_principale_naf25), '.', ''), ''
            )
    end as announced_activity,
    string_to_array(nullif(record.closed_units, ''), ' ') as closed_units,
    case when array_remove(place.address_ids, null) <> '{}' then place.address_ids end as address_ids,
    case
        when
            num_nonnulls(record.sigle, record.pseudonyme, record.nom_usage, record.denomination_usuelle1) > 0
            or record.details @? '$[*] ? (exists(@.enseigne1) || exists(@.denomination_usuelle))'
            then (
                select jsonb_agg(jsonb_build_object('type', name.type, 'value', registry.text_fr(name.value)))
                from (
                    values
                    ('acronym', record.sigle), ('pseudonym', record.pseudonyme),
                    ('birth_name', unit.given_name || ' ' || registry.text_fr(record.nom)),
                    ('usual_name', record.denomination_usuelle1), ('usual_name', record.denomination_usuelle2),
                    ('usual_name', record.denomination_usuelle3)
                    union all
                    select stated.*
                    from jsonb_array_elements(record.details) as it
                    cross join lateral (
                        values ('sign', registry.sign_fr(it.value)), ('usual_name', it.value ->> 'denomination_usuelle')
                    ) as stated
                    where it.value ->> 'etat_administratif' = 'A' and registry.is_withheld_fr(it.value) is not true
                ) as name (type, value)
            )
    end as other_names,
    jsonb_strip_nulls(
        jsonb_build_object(
            'commune', registry.text_fr(unit.head ->> 'code_commune'),
            'company_category', registry.dated_fr(record.company_category, record.category_year),
            -- Usual values (N of `employer`, NN of `workforce_band`) are omitted; a missing value is stored as a blank.
            'employer', nullif(coalesce(registry.employer_fr(record.employer, record.details), ''), 'N'),
            'mission_company', record.mission_company,
            'social_economy', record.social_economy,
            -- Activities of establishments that differ from the unit's, by SIRET, as `2008 6201Z`. Blank means unknown.
            'unit_activities', case
                when jsonb_array_length(record.details) > 1 or record.details #>> '{0,activity}' <> record.activite_principale
                    then (
                        select jsonb_object_agg(it.value ->> 'siret', concat_ws(' ', named.version, own.code))
                        from jsonb_array_elements(record.details) as it
                        cross join lateral replace(translate(it.value ->> 'activity', '.', ''), '0000Z', '') as own (code)
                        left join registry.activity_code as named on named.code = own.code and named.version in (2008, 2026)
                        where
                            own.code <> replace(translate(nullif(record.activite_principale, '[ND]'), '.', ''), '0000Z', '')
                            and (unit.is_partial or registry.is_withheld_fr(it.value)) is not true
                    )
            end,
            'workforce_band', nullif(coalesce(registry.dated_fr(record.workforce_band, record.band_year), ''), 'NN')
        )
    ) as attributes
from stage.record
left join registry.entry as known
    on known.source = 'sirene'
    and known.entry_key = record.siren
cross join lateral (
    select
        record.statut_diffusion <> 'O' as is_partial,
        coalesce(registry.text_fr(record.prenom_usuel), registry.text_fr(record.prenom1)) as given_name,
        coalesce(registry.text_fr(record.date_creation), known.start_date::text) as start_date,
        case
            when record.nic_siege is null then (
                select detail.value
                from jsonb_array_elements(record.details) as detail
                where detail.value ->> 'etablissement_siege' = 'true'
                order by detail.value ->> 'date_debut' desc nulls last
                limit 1
            )
            when record.details #>> '{0,siret}' = record.siren || record.nic_siege
                then record.details -> 0
        end as head,
        -- A natural person (legal form 1000) stays a natural person, so changes to or from legal form 1000 are ignored.
        case
            when known.entity_type is not null then known.entity_type = 'NATURAL'
            when registry.text_fr(record.categorie_juridique) is not null
                then record.categorie_juridique = '1000'
            else record.nom is not null
        end as is_natural,
        case
            when (record.categorie_juridique = '1000') = (known.entity_type <> 'NATURAL')
                then known.legal_form
            else registry.text_fr(record.categorie_juridique)
        end as legal_form
    offset 0
) as kind
cross join lateral (
    select
        kind.*,
        -- If INSEE states an impossible day, the known day stays.
        coalesce(registry.day_of(kind.start_date, record.is_well_formed), known.start_date)::text as start_day,
        case
            when not kind.is_natural then coalesce(
                registry.text_fr(record.denomination),
                registry.text_fr(record.denomination_usuelle1),
                case when kind.is_partial is not true then registry.text_fr(record.sigle) end
            )
            when not kind.is_partial then coalesce(
                registry.join_texts(
                    ' ',
                    kind.given_name,
                    coalesce(registry.text_fr(record.nom_usage), registry.text_fr(record.nom))
                ),
                registry.text_fr(record.pseudonyme)
            )
        end as name
    offset 0
) as unit
-- The classification of an activity is found by its code, because INSEE gives some codes the label of the other
-- classification. No code is in both classifications (NAF rév. 2, NAF 2025).
left join registry.activity_scheme as labelled
    on labelled.scheme = record.nomenclature_activite_principale
    and labelled.country_code = 'FR'
left join registry.activity_code as listed
    on listed.code = translate(record.activite_principale, '.', '')
    and listed.version in (2008, 2026)
left join lateral (
    select
        coalesce(listed.version, labelled.version) as version,
        translate(record.activite_principale, '.', '') as code
    where
        labelled.version is not null
        and record.activite_principale not in ('00.00Z', '0000Z', '[ND]')
) as activity on true
-- The head office of the legal unit, whose address is the address of the entry.
cross join lateral (
    select
        unit.head is not null
        and coalesce(unit.is_partial or registry.is_withheld_fr(unit.head), false) as is_withheld,
        unit.head ->> 'etat_administratif' = 'A' as is_open,
        registry.calendar_day(registry.text_fr(unit.head ->> 'date_debut'))::text as begin_day
    offset 0
) as seat
left join registry.spelling as street_type
    on street_type.country_code = 'FR'
    and street_type.written = registry.lower(unit.head ->> 'type_voie')
cross join lateral registry.address_fr(unit.head, seat.is_withheld, street_type.meaning) as address
-- The establishments besides the head office, which most legal units do not have.
cross join lateral (
    select
        count(*) filter (where detail.is_open) as open_count,
        max(detail.begin_day) filter (where not detail.is_open) as closed_day,
        min(detail.begin_day) filter (where detail.is_open) as opened_day,
        jsonb_agg(
            registry.unit_fr(
                detail.value, unit.is_natural, detail.is_withheld,
                registry.unit_dates_fr(detail.value ->> 'date_creation', null),
                jsonb_build_object(
                    'street', address.street, 'building', address.building,
                    'apartment', address.apartment, 'postal_code', address.postal_code,
                    'city', address.city, 'country_code', coalesce(address.country_code, 'FR'),
                    'voivodeship', region.name
                )
            )
        ) filter (where detail.is_open) as units,
        array_agg(address.address_id) filter (where detail.is_open) as address_ids
    from (
        select
            detail.value,
            detail.value ->> 'etat_administratif' = 'A' as is_open,
            coalesce(unit.is_partial or registry.is_withheld_fr(detail.value), false)
                as is_withheld,
            registry.calendar_day(registry.text_fr(detail.value ->> 'date_debut'))::text
                as begin_day,
            registry.region_fr(detail.value) as region
        from jsonb_array_elements(record.details) as detail
        where
            (unit.head is null or jsonb_array_length(record.details) > 1)
            and detail.value ->> 'siret' is distinct from unit.head ->> 'siret'
        offset 0
    ) as detail
    left join registry.spelling as street_type
        on street_type.country_code = 'FR'
        and street_type.written = registry.lower(detail.value ->> 'type_voie')
    left join registry.region
        on region.country_code = 'FR'
        and region.code = detail.region
    cross join lateral registry.address_fr(
        detail.value, detail.is_withheld, street_type.meaning
    ) as address
) as other
cross join lateral (
    select other.open_count + coalesce(seat.is_open, false)::integer as count
) as open
cross join lateral (
    select case
        when unit.head is null then other.units
        else jsonb_build_array(
            registry.unit_fr(
                unit.head, unit.is_natural, seat.is_withheld,
                -- The head office has own dates only if it is closed, or began on another day than its legal unit.
                case
                    when
                        seat.is_open is false
                        or unit.head ->> 'date_creation' is distinct from unit.start_day
                        or unit.start_day is null
                        then registry.unit_dates_fr(
                            unit.head ->> 'date_creation',
                            case when not seat.is_open then seat.begin_day end
                        )
                end,
                null
            )
        ) || coalesce(other.units, '[]')
    end as units,
    case
        when unit.head is null then other.address_ids
        else array[address.address_id] || other.address_ids
    end as address_ids
) as place
