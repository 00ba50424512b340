-- One row per legal unit: what its columns mean. `details` are its establishments, by the columns of
-- establishment.csv: all that are active, and the head office. A delta has the same columns: collect.sql
-- lays what an answer says over what the known entry says. `[ND]` is what the owner withholds.
select
    record.file_no,
    record.line,
    record.fingerprint,
    record.siren as entry_key,
    null::text as nip,
    null::text as regon9,
    null::text as krs,
    case when unit.is_natural then 'NATURAL' else 'LEGAL' end as entity_type,
    unit.legal_form,
    unit.name,
    null::text as surname,
    null::text as first_name,
    null::text as phone,
    null::text as email,
    null::text as fax,
    null::text as website,
    seat.address ->> 'postal_code' as postal_code,
    null::text as county,
    null::text as commune,
    seat.address ->> 'city' as city,
    seat.address ->> 'street' as street,
    seat.address ->> 'building' as building,
    seat.address ->> 'apartment' as apartment,
    seat.region as voivodeship,
    activity.version::text as activity_version,
    activity.code as activity_main,
    coalesce(activity.code, '') as activity_codes,
    record.is_well_formed,
    record.etat_administratif as status_text,
    case record.etat_administratif
        when 'C' then 'DELETED'
        -- Without an active establishment a unit sleeps. Of one without any nothing is known.
        when 'A' then case
            when seat.open_count > 0 or seat.units is null then 'ACTIVE'
            else 'SUSPENDED'
        end
    end as declared_status,
    false as is_partnership_only,
    coalesce(registry.day_fr(record.date_creation), known.start_date::text) as start_date,
    -- `date_debut` is the day of the last change of any kind: the first one that was told counts.
    case
        when record.etat_administratif = 'C'
            then coalesce(known.end_date::text, registry.day_fr(record.date_debut))
    end as end_date,
    case
        when record.etat_administratif = 'A' and seat.open_count = 0 then coalesce(
            case when known.declared_status = 'SUSPENDED' then known.suspension_date::text end,
            seat.closed_day
        )
    end as suspension_date,
    case
        when record.etat_administratif = 'A' and seat.open_count > 0 then case known.declared_status
            when 'SUSPENDED' then seat.opened_day
            when 'ACTIVE' then known.resumption_date::text
        end
    end as resumption_date,
    -- A name: the code of INSEE is not that of ISO.
    nullif(seat.address ->> 'country_code', 'FR') as address_country_code,
    null::text as struck_off_date,
    null::text as bankruptcy_start_date,
    null::text as bankruptcy_end_date,
    seat.units,
    case
        when unit.is_natural and unit.name is not null then jsonb_build_array(
            jsonb_build_object(
                'kind', 'entrepreneur', 'full_name', unit.name, 'role', 'Entrepreneur individuel'
            )
        )
    end as persons,
    null::jsonb as other_dates,
    null::text as bankruptcy_state,
    null::text as restructuring_state,
    null::text as restructuring_start_date,
    null::text as restructuring_end_date,
    null::text as e_delivery,
    null::integer as version_no,
    null::date as version_date,
    null::text as version_register,
    case
        when record.identifiant_association is not null
            then jsonb_build_object('RNA', record.identifiant_association)
    end as numbers,
    unit.is_partial,
    -- To learn one of these, or to lose it, is no news.
    nullif(
        array_remove(
            array[
                case when unit.name is null then 'name' end,
                case when seat.is_withheld then 'address' end,
                case
                    when coalesce(registry.day_fr(record.date_creation), known.start_date::text) is null
                        then 'start date'
                end
            ],
            null
        ),
        '{}'
    ) as untold,
    case
        when record.etat_administratif = 'A' and activity.version is distinct from 2026
            then nullif(translate(record.activite_principale_naf25, '.', ''), '')
    end as announced_activity,
    nullif(record.closed_count, 0) as closed_unit_count
from stage.record
left join registry.entry as known
    on known.source = 'sirene'
    and known.entry_key = record.siren
cross join lateral (
    select
        record.statut_diffusion = 'P' as is_partial,
        record.siren || coalesce(
            record.nic_siege,
            (
                select detail.value ->> 'nic'
                from jsonb_array_elements(record.details) as detail
                where detail.value ->> 'etablissement_siege' = 'true'
                order by detail.value ->> 'date_debut' desc nulls last
                limit 1
            )
        ) as head,
        -- 1000 is for life: a form that crosses it says nothing.
        case
            when known.entity_type is not null then known.entity_type = 'NATURAL'
            when record.categorie_juridique is not null then record.categorie_juridique = '1000'
            else record.nom is not null
        end as is_natural,
        case
            when (record.categorie_juridique = '1000') = (known.entity_type <> 'NATURAL')
                then known.legal_form
            else record.categorie_juridique
        end as legal_form
    offset 0
) as kind
cross join lateral (
    select
        kind.*,
        case
            when not kind.is_natural then coalesce(
                registry.text_fr(record.denomination),
                registry.text_fr(record.denomination_usuelle1),
                registry.text_fr(record.sigle)
            )
            when not kind.is_partial then coalesce(
                nullif(
                    concat_ws(
                        ' ',
                        coalesce(
                            registry.text_fr(record.prenom_usuel), registry.text_fr(record.prenom1)
                        ),
                        coalesce(registry.text_fr(record.nom_usage), registry.text_fr(record.nom))
                    ),
                    ''
                ),
                registry.text_fr(record.pseudonyme)
            )
        end as name
    offset 0
) as unit
-- The code tells its classification: no code is in both, and labels of one occur with codes of the other.
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
        and translate(record.activite_principale, '.', '') <> '0000Z'
) as activity on true
-- The head office comes first, and has the address of the entry.
cross join lateral (
    select
        count(*) filter (where place.is_open) as open_count,
        max(place.begin_day) filter (where not place.is_open) as closed_day,
        min(place.begin_day) filter (where place.is_open) as opened_day,
        bool_or(place.is_withheld) filter (where place.is_head) as is_withheld,
        min(place.region) filter (where place.is_head) as region,
        (array_agg(place.address) filter (where place.is_head))[1] as address,
        jsonb_agg(
            jsonb_build_object('identifier', place.siret, 'name', place.name, 'dates', place.dates)
            || case
                when place.is_head then '{}'
                else jsonb_build_object(
                    'address',
                    place.address
                    || jsonb_build_object('voivodeship', region.name)
                )
            end
            || case when place.is_withheld then '{"is_partial": true}' else '{}' end::jsonb
            order by not place.is_head, place.siret
        ) filter (where place.is_open or place.is_head) as units
    from (
        select
            detail.value ->> 'siret' as siret,
            own.is_head,
            own.is_open,
            own.is_withheld,
            case
                when not (own.is_withheld and unit.is_natural)
                    then registry.unit_name_fr(detail.value)
            end as name,
            own.begin_day,
            coalesce(
                detail.value ->> 'code_region',
                registry.region_of_commune_fr(detail.value ->> 'code_commune')
            ) as region,
            registry.address_fr(detail.value, own.is_withheld, street_type.meaning) as address,
            registry.unit_dates_fr(
                detail.value ->> 'date_creation', case when not own.is_open then own.begin_day end
            ) as dates
        from jsonb_array_elements(record.details) as detail
        cross join lateral (
            select
                detail.value ->> 'siret' = unit.head as is_head,
                detail.value ->> 'etat_administratif' = 'A' as is_open,
                coalesce(
                    unit.is_partial
                    or detail.value ->> 'statut_diffusion' = 'P'
                    or detail.value ->> 'libelle_voie' = '[ND]',
                    false
                ) as is_withheld,
                registry.calendar_day(registry.day_fr(detail.value ->> 'date_debut'))::text
                    as begin_day
            offset 0
        ) as own
        left join registry.spelling as street_type
            on street_type.country_code = 'FR'
            and street_type.written = registry.lower(detail.value ->> 'type_voie')
        offset 0
    ) as place
    left join registry.region
        on region.country_code = 'FR'
        and region.code = place.region
) as seat
