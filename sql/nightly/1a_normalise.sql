-- What the records of some files say, in the terms of every source; records that cannot be meant are
-- rejected. Files are normalised side by side, each in the session that staged it.
insert into stage.entry (
    file_no, line, fingerprint, entry_key, nip, regon9, krs, entity_type, legal_form, name, surname,
    first_name, phone, email, fax, website, postal_code, county, commune, city, street, building,
    apartment, voivodeship, activity_version, activity_main, activity_codes, declared_status,
    is_partnership_only, start_date, end_date, suspension_date, resumption_date,
    address_country_code, struck_off_date, bankruptcy_start_date, bankruptcy_end_date, units,
    persons, other_dates, status, gone_date, content_hash, reason
)
select
    mapped.file_no,
    mapped.line,
    mapped.fingerprint,
    mapped.entry_key,
    mapped.nip,
    mapped.regon9,
    mapped.krs,
    mapped.entity_type,
    mapped.legal_form,
    mapped.name,
    mapped.surname,
    mapped.first_name,
    mapped.phone,
    mapped.email,
    mapped.fax,
    mapped.website,
    mapped.postal_code,
    mapped.county,
    mapped.commune,
    mapped.city,
    mapped.street,
    mapped.building,
    mapped.apartment,
    mapped.voivodeship,
    activity.version as activity_version,
    mapped.activity_main,
    mapped.activity_codes,
    mapped.declared_status,
    mapped.is_partnership_only,
    start_day.day as start_date,
    end_day.day as end_date,
    suspension_day.day as suspension_date,
    resumption_day.day as resumption_date,
    mapped.address_country_code,
    mapped.struck_off_day as struck_off_date,
    mapped.bankruptcy_start_day as bankruptcy_start_date,
    mapped.bankruptcy_end_day as bankruptcy_end_date,
    mapped.units,
    mapped.persons,
    mapped.other_dates,
    registry.status_on(
        night.dump_date, mapped.declared_status, least(end_day.day, mapped.struck_off_day), null
    ) as status,
    case
        when mapped.struck_off_day <= night.dump_date then mapped.struck_off_day
    end as gone_date,
    registry.content_hash(
        mapped.nip, mapped.regon9, mapped.krs, mapped.entity_type, mapped.legal_form, mapped.name,
        mapped.surname, mapped.first_name, mapped.phone, mapped.email, mapped.fax, mapped.website,
        mapped.postal_code, mapped.county, mapped.commune, mapped.city, mapped.street,
        mapped.building, mapped.apartment, mapped.voivodeship, activity.version,
        mapped.activity_main, mapped.activity_codes, mapped.declared_status,
        mapped.is_partnership_only, start_day.day, end_day.day, suspension_day.day,
        resumption_day.day, mapped.address_country_code, mapped.struck_off_day,
        mapped.bankruptcy_start_day, mapped.bankruptcy_end_day, mapped.units, mapped.persons,
        mapped.other_dates
    ) as content_hash,
    case
        when mapped.nip is not null and not registry.is_nip(mapped.nip)
            then format('the NIP ''%s'' is not valid', mapped.nip)
        when mapped.regon9 is not null and not registry.is_regon9(mapped.regon9)
            then format('the REGON ''%s'' is not valid', mapped.regon9)
        when mapped.krs is not null and not registry.is_krs(mapped.krs)
            then format('the KRS number ''%s'' is not valid', mapped.krs)
        when coalesce(mapped.name, mapped.surname, mapped.first_name) is null
            then 'all names are blank'
        when mapped.declared_status is null
            then format('the status ''%s'' is not known', coalesce(mapped.status_text, ''))
        when mapped.start_date is not null and start_day.day is null
            then format('the start date ''%s'' is not a date', mapped.start_date)
        when mapped.end_date is not null and end_day.day is null
            then format('the end date ''%s'' is not a date', mapped.end_date)
        when mapped.suspension_date is not null and suspension_day.day is null
            then format('the suspension date ''%s'' is not a date', mapped.suspension_date)
        when mapped.resumption_date is not null and resumption_day.day is null
            then format('the resumption date ''%s'' is not a date', mapped.resumption_date)
        when mapped.struck_off_date is not null and mapped.struck_off_day is null
            then format('the strike-off date ''%s'' is not a date', mapped.struck_off_date)
        when mapped.bankruptcy_start_date is not null and mapped.bankruptcy_start_day is null
            then format('the bankruptcy date ''%s'' is not a date', mapped.bankruptcy_start_date)
        when mapped.bankruptcy_end_date is not null and mapped.bankruptcy_end_day is null
            then format(
                'the end of the bankruptcy ''%s'' is not a date', mapped.bankruptcy_end_date
            )
        -- Under a version without codes, every activity would seem to be another one.
        when mapped.activity_version is not null and activity.version is null
            then format('the activity version ''%s'' is not known', mapped.activity_version)
        when
            cardinality(mapped.activity_codes) > 0
            and (array_to_string(mapped.activity_codes, ',') || ',') !~ '^([0-9]{4}[A-Z],)*$'
            then format(
                'one of the activities ''%s'' is not a code',
                array_to_string(mapped.activity_codes, ',')
            )
        -- Longer keys do not fit into an index; only names make such keys.
        when octet_length(mapped.entry_key) > 2000
            then 'names of more than 2000 bytes, and no number to know the entry by'
    end as reason
-- The offset keeps Postgres from computing a column again wherever it is used. Dates that few have
-- are looked up one by one.
from (
    select
        mapped.*,
        case
            when mapped.struck_off_date is not null then (
                select calendar.day
                from registry.calendar
                where calendar.written = mapped.struck_off_date
            )
        end as struck_off_day,
        case
            when mapped.bankruptcy_start_date is not null then (
                select calendar.day
                from registry.calendar
                where calendar.written = mapped.bankruptcy_start_date
            )
        end as bankruptcy_start_day,
        case
            when mapped.bankruptcy_end_date is not null then (
                select calendar.day
                from registry.calendar
                where calendar.written = mapped.bankruptcy_end_date
            )
        end as bankruptcy_end_day
    from stage.mapped
    where mapped.file_no = any($1)
    offset 0
) as mapped
cross join stage.night
left join registry.calendar as start_day on start_day.written = mapped.start_date
left join registry.calendar as end_day on end_day.written = mapped.end_date
left join registry.calendar as suspension_day on suspension_day.written = mapped.suspension_date
left join registry.calendar as resumption_day on resumption_day.written = mapped.resumption_date
left join (
    select distinct activity_code.version from registry.activity_code
) as activity on activity.version::text = mapped.activity_version;
