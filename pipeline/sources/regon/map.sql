-- Maps each document of REGON to the columns of an entry. collect.sql makes an entry's key from the REGON and the silo
-- (kind of activity). For an invalid number, an unknown legal form or a missing report, the known value stays.
select
    document.file_no, document.line, document.entry_key_hint as entry_key,
    case
        when registry.is_nip(owner.nip) then case
            -- A cancelled NIP is not stored, but a known NIP that is a different number stays.
            when registry.is_cancelled(owner.nip_status) then nullif(known.nip, owner.nip)
            else owner.nip
        end
        when owner.nip <> '0000000000' then known.nip
    end as nip,
    document.document ->> 'regon9' as regon9,
    case
        -- 138 and 139 are the codes of the registers of KRS; numbers in other registers are no KRS numbers.
        when activity.register in ('138', '139') and activity.register_number is not null
            then case
                when registry.is_krs(activity.register_number) then activity.register_number
                else known.krs
            end
    end as krs,
    case when owner.is_person then 'NATURAL' else 'LEGAL' end as entity_type,
    coalesce(
        (
            select min(legal_form_symbol.symbol)
            from registry.legal_form
            join registry.legal_form_symbol using (country_code, slug)
            where legal_form.country_code = 'PL' and legal_form.symbol = owner.legal_form
        ),
        case when owner.legal_form is not null then known.legal_form end
    ) as legal_form,
    activity.name, owner.surname, owner.first_names as first_name,
    -- In Poland, 'wew.' before digits marks the extension of a phone number.
    registry.join_texts(' wew. ', stage.regon_phone(activity.phone), activity.extension) as phone,
    registry.lower(activity.email) as email,
    stage.regon_phone(activity.fax) as fax,
    -- A website without a path is stored in lower case, because only the case of a path has a meaning.
    case
        when activity.website ~ '^([A-Za-z]+://)?[^/]+/?$' then registry.lower(activity.website)
        else activity.website
    end as website,
    seat.address ->> 'postal_code' as postal_code,
    -- If a city is a county itself, REGON writes the county sometimes with 'm.' before the name, and sometimes without.
    regexp_replace(activity.county, '^[Mm]\.( ?[Ss][Tt]\.)? ?', '') as county,
    regexp_replace(activity.commune, '^[Mm]\.( ?[Ss][Tt]\.)? ?', '') as commune,
    seat.address ->> 'city' as city,
    seat.address ->> 'street' as street,
    seat.address ->> 'building' as building,
    seat.address ->> 'apartment' as apartment,
    registry.region_code('PL', seat.address ->> 'voivodeship') as voivodeship,
    case when code.is_stated then code.version else known.activity_version::text end as activity_version,
    case when code.is_stated then code.main else known.activity_main end as activity_main,
    coalesce(
        case when code.is_stated then code.codes else known.activity_codes end, ''
    ) as activity_codes,
    case
        when activity.suspension_date > coalesce(activity.resumption_date, '') then 'SUSPENDED'
        -- Silo 4 holds activities struck off before 2014-11-08, some of which have no date.
        when
            document.document ->> 'silo' = '4'
            and coalesce(activity.end_date, activity.struck_off_date, owner.struck_off_date) is null
            then 'DELETED'
        else 'ACTIVE'
    end as declared_status,
    activity.start_date, activity.end_date, activity.suspension_date, activity.resumption_date,
    seat.address ->> 'country_code' as address_country_code,
    coalesce(activity.struck_off_date, owner.struck_off_date) as struck_off_date,
    activity.bankruptcy_start_date, bankruptcy.end_date as bankruptcy_end_date, unit.units,
    person.persons, other.dates as other_dates,
    case
        when bankruptcy.end_date is not null then 'ENDED'
        when activity.bankruptcy_start_date is not null then 'OPEN'
    end as bankruptcy_state,
    case
        when activity.short_name is not null
            then jsonb_build_array(jsonb_build_object('type', 'short_name', 'value', activity.short_name))
    end as other_names,
    nullif(
        jsonb_strip_nulls(
            jsonb_build_object(
                'ownership_form', coalesce(person_record.ownership_form, activity.ownership_form)
            )
        ),
        '{}'
    ) as attributes
from stage.document
cross join lateral jsonb_to_record(document.document -> 'activity') as activity (
    name text, short_name text, nip text, nip_status text, legal_form text, ownership_form text,
    register text, register_number text,
    register_date text, register_end_date text, formation_date text, start_date text,
    entry_date text, suspension_date text, resumption_date text, end_date text,
    struck_off_date text, bankruptcy_start_date text, bankruptcy_end_date text, phone text,
    extension text, fax text, email text, website text, county text, commune text
)
left join lateral jsonb_to_record(document.document -> 'person') as person_record (
    nip text, nip_status text, legal_form text, ownership_form text, surname text, first_name text, second_name text,
    person_entry_date text, struck_off_date text
) on true
left join registry.entry as known
    on known.source = 'regon'
    and known.entry_key = document.entry_key_hint
-- The owner of an activity is the person in the report DaneOgolne, or else the legal person in the main report.
cross join lateral (
    select
        document.document ->> 'silo' <> '6' as is_person,
        translate(coalesce(person_record.nip, activity.nip), '- ', '') as nip,
        coalesce(person_record.nip_status, activity.nip_status) as nip_status,
        coalesce(person_record.legal_form, activity.legal_form) as legal_form,
        person_record.surname,
        registry.join_texts(' ', person_record.first_name, person_record.second_name) as first_names,
        person_record.struck_off_date
) as owner
-- If a bankruptcy ends before it starts, the end belongs to an earlier bankruptcy and is ignored.
cross join lateral (
    select case
        when activity.bankruptcy_end_date < activity.bankruptcy_start_date is not true
            then activity.bankruptcy_end_date
    end as end_date
) as bankruptcy
-- `offset 0` makes PostgreSQL compute the address once, instead of for each of its parts.
cross join lateral (
    select stage.regon_address(document.document -> 'activity') as address
    offset 0
) as seat
-- If the dump lacks the list of local units, the known units stay. Without that list, units with a report of their own
-- are added or replaced.
cross join lateral (
    select jsonb_agg(listed.unit order by listed.unit ->> 'identifier') as units
    from (
        select distinct on (stated.unit ->> 'identifier') stated.unit
        from (
            select
                jsonb_build_object(
                    'identifier', unit.record ->> 'regon14',
                    'name', unit.record ->> 'name',
                    'address', stage.regon_address(unit.record),
                    'dates', coalesce(unit_date.dates, '[]')
                )
                || case
                    when unit.record ?| '{end_date, struck_off_date}' then '{"is_closed": true}'::jsonb
                    else '{}'
                end as unit,
                1 as rank
            from jsonb_array_elements(
                coalesce(document.document -> 'units', document.document -> 'unit_details')
            ) as unit (record)
            cross join lateral (
                select jsonb_agg(
                    jsonb_build_object('type', label.type, 'date', unit.record ->> label.field)
                    order by label.type collate "C"
                ) as dates
                from (
                    values
                    ('formation_date', 'Data powstania'),
                    ('start_date', 'Data rozpoczęcia działalności'),
                    ('entry_date', 'Data wpisu do REGON'),
                    ('suspension_date', 'Data zawieszenia działalności'),
                    ('resumption_date', 'Data wznowienia działalności'),
                    ('end_date', 'Data zakończenia działalności'),
                    ('struck_off_date', 'Data skreślenia z REGON')
                ) as label (field, type)
                where registry.calendar_day(unit.record ->> label.field) is not null
            ) as unit_date
            where coalesce(unit.record ->> 'silo' = document.document ->> 'silo', true)
            union all
            select
                before.unit,
                2
            from jsonb_array_elements(known.units) as before (unit)
            where document.document -> 'units' is null
        ) as stated
        order by stated.unit ->> 'identifier', stated.rank, stated.unit::text collate "C"
    ) as listed
) as unit
-- If a report states activity codes of PKD 2007 and of PKD 2025, only the codes of PKD 2025 are used. Reports of BIR
-- 1.1 state no version: the known version applies if it contains all the codes, else the oldest version that does.
cross join lateral (
    select
        document.document -> 'codes' is not null as is_stated,
        string_agg(distinct newest.code, ',' order by newest.code) as codes,
        min(newest.code) filter (where newest.is_main) as main,
        coalesce(
            max(newest.version),
            case
                when count(*) = 0 then null
                when bool_and(known.activity_version = any(newest.versions))
                    then known.activity_version::text
                when bool_and(2007 = any(newest.versions)) then '2007'
                when bool_and(2025 = any(newest.versions)) then '2025'
            end
        ) as version
    from (
        select
            code.record ->> 'version' as version,
            code.record ->> 'is_main' in ('1', 'true') as is_main,
            written_code.code,
            array(
                select activity_code.version
                from registry.activity_code
                where
                    activity_code.version in (2007, 2025)
                    and activity_code.code = written_code.code
            ) as versions,
            dense_rank() over (order by code.record ->> 'version' desc nulls last) as rank
        from jsonb_array_elements(document.document -> 'codes') as code (record)
        cross join lateral (
            select registry.upper(translate(code.record ->> 'code', '. ', '')) as code
        ) as written_code
        where
            written_code.code is not null
            and coalesce(code.record ->> 'version', '2007') in ('2007', '2025')
            and coalesce(code.record ->> 'silo' = document.document ->> 'silo', true)
    ) as newest
    where newest.rank = 1
) as code
cross join lateral (
    select jsonb_agg(
        listed.person
        order by (listed.person ->> 'full_name') collate "C", (listed.person ->> 'number') collate "C"
    ) as persons
    from (
        select jsonb_build_object(
            'kind', 'owner',
            'full_name', concat_ws(' ', owner.first_names, owner.surname),
            'role', 'Właściciel'
        ) as person
        where owner.is_person and coalesce(owner.first_names, owner.surname) is not null
        union all
        select jsonb_strip_nulls(
            jsonb_build_object(
                'kind', 'partner',
                'full_name', partner.name,
                'role', 'Wspólnik',
                -- The REGON number of a partner distinguishes partners of the same name.
                'number', case when registry.is_regon9(partner.regon9) then partner.regon9 end
            )
        )
        from jsonb_array_elements(document.document -> 'partners') as stated (record)
        cross join lateral (
            select coalesce(
                registry.join_texts(
                    ' ',
                    stated.record ->> 'first_name',
                    stated.record ->> 'second_name',
                    stated.record ->> 'surname'
                ),
                stated.record ->> 'firm'
            ) as name,
            left(stated.record ->> 'number', 9) as regon9
        ) as partner
        where not owner.is_person and partner.name is not null
        union all
        -- If the dump lacks the list of partners, the known partners stay.
        select before.value
        from jsonb_array_elements(known.persons) as before (value)
        where
            not owner.is_person
            and owner.legal_form in ('019', '19')
            and document.document -> 'partners' is null
    ) as listed
) as person
cross join lateral (
    select jsonb_agg(
        jsonb_build_object('type', label.type, 'date', label.written)
        order by label.type collate "C"
    ) as dates
    from (
        values
        ('Data powstania', activity.formation_date),
        ('Data wpisu do REGON', activity.entry_date),
        ('Data wpisu podmiotu do REGON', person_record.person_entry_date),
        ('Data wpisu do rejestru lub ewidencji', activity.register_date),
        ('Data skreślenia z rejestru lub ewidencji', activity.register_end_date)
    ) as label (type, written)
    where registry.calendar_day(label.written) is not null
) as other
