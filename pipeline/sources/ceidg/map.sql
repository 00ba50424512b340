-- Maps each row of a CEIDG report to the columns of an entry.
select
    record.file_no, record.line, record.fingerprint,
    coalesce(
        number.regon9,
        number.nip,
        -- 0.1 % of the entries have neither NIP nor REGON, so that their key is made of name and start date.
        array_to_string(
            array[record.nazwisko, record.imie, record.nazwa_podmiotu, record.data_rozpoczecia],
            '|', ''
        )
    ) as entry_key,
    number.nip,
    number.regon9,
    'NATURAL' as entity_type,
    -- Every entry of CEIDG is the business of a natural person, whose legal form has the symbol 099.
    '099' as legal_form,
    record.nazwa_podmiotu as name, record.nazwisko as surname, record.imie as first_name,
    record.telefon as phone, record.email, record.adres_www as website,
    record.kod_pocztowy as postal_code, record.powiat as county, record.gmina as commune,
    record.miejscowosc as city, record.ulica as street, record.nr_budynku as building,
    record.nr_lokalu as apartment,
    nullif(file.file_key, '00') as voivodeship,
    record.rok_pkd as activity_version,
    case
        when record.is_well_formed then record.glowny_kod_pkd
        else translate(record.glowny_kod_pkd, '. ', '')
    end as activity_main,
    -- The activity codes stay in the order of the report. If only the order of the codes changes, no event is made.
    case
        when record.is_well_formed then activity.codes
        else translate(activity.codes, '. ', '')
    end as activity_codes,
    record.is_well_formed,
    record.status_dzialalnosci as status_text,
    -- `registry.status_on` computes the entry's status on a day from `declared_status` and the dates of the entry.
    case
        when record.status_dzialalnosci = 'Zawieszony' then 'SUSPENDED'
        when record.status_dzialalnosci = 'Aktywny' or status.is_partnership_only then 'ACTIVE'
        -- An entry with the status WYKRESLONY counts as deleted because of its `struck_off_date`.
        when status.is_struck_off then 'ACTIVE'
    end as declared_status,
    status.is_partnership_only,
    record.data_rozpoczecia as start_date,
    case when status.is_struck_off is not true then record.data_zakonczenia end as end_date,
    record.data_zawieszenia as suspension_date,
    record.data_wznowienia as resumption_date,
    case
        when record.kraj is not null then nullif(record.kraj, 'PL')
        -- An address without a voivodeship is abroad. The reports do not state the country of an address abroad, so the
        -- country stays blank until the API states it.
        when
            file.file_key = '00'
            and coalesce(record.kod_pocztowy, record.miejscowosc, record.ulica) is not null
            and record.kod_pocztowy ~ '^[0-9]{2}-[0-9]{3}$' is not true
            then coalesce(
                (
                    select known.address_country_code
                    from registry.entry as known
                    where
                        known.source = 'ceidg'
                        and known.entry_key = coalesce(number.regon9, number.nip)
                        and known.postal_code is not distinct from record.kod_pocztowy
                        and known.city is not distinct from record.miejscowosc
                ),
                ''
            )
    end as address_country_code,
    case when status.is_struck_off then record.data_zakonczenia end as struck_off_date
from stage.record
join stage.file on file.file_no = record.file_no
cross join lateral (
    select
        record.status_dzialalnosci = 'Działalność prowadzona wyłącznie w formie spółki cywilnej'
            as is_partnership_only,
        -- Only rows made from CEIDG's API have the status WYKRESLONY, because the reports omit struck-off entries.
        record.status_dzialalnosci = 'WYKRESLONY' as is_struck_off
) as status
cross join lateral (
    select replace(
        concat_ws('$##$', record.glowny_kod_pkd, record.pozostale_kody_pkd), '$##$', ','
    ) as codes
) as activity
cross join lateral (
    select
        case
            when record.is_well_formed then record.nip
            else nullif(translate(record.nip, '- ', ''), '0000000000')
        end as nip,
        -- The first nine digits of a REGON of 14 digits (a unit's number) are the REGON of the company.
        case
            when record.is_well_formed then left(record.regon, 9)
            else nullif(
                case length(record.regon)
                    when 14 then
                        left(record.regon, 9)
                        || translate(right(record.regon, 5), '0123456789', '')
                    else translate(record.regon, '- ', '')
                end,
                '000000000'
            )
        end as regon9
) as number
