-- Maps each extract of KRS to the columns of an entry, with partners, shareholders and representatives. The key of an
-- entry is the KRS number, which extract.ts validates. The functions of the schema `stage` are in
-- collect_numbers_and_proceedings.sql.
-- If a legal form is unknown, a number invalid, or a day or voivodeship unreadable, the entry keeps the known value.
-- The object `sections` holds the current content of the extract, with the keys that shape.csv lists. The start date
-- stays null, because KRS states the day of registration, but no day on which the company began.
select
    document.file_no, document.line, document.entry_key_hint as entry_key,
    stage.krs_number_in_force(
        document.document ->> 'nip',
        part.identity #>> '{identyfikatory,statusNip}',
        registry.is_nip(document.document ->> 'nip'),
        known.nip
    ) as nip,
    stage.krs_number_in_force(
        document.document ->> 'regon9',
        part.identity #>> '{identyfikatory,statusRegon}',
        registry.is_regon9(document.document ->> 'regon9'),
        known.regon9
    ) as regon9,
    document.entry_key_hint as krs,
    'LEGAL' as entity_type,
    coalesce(
        document.document ->> 'legal_form',
        case when part.identity ? 'formaPrawna' then known.legal_form end
    ) as legal_form,
    part.identity ->> 'nazwa' as name,
    -- KRS writes mail addresses and websites in capitals, so they are stored in lower case.
    registry.lower(part.seat ->> 'adresPocztyElektronicznej') as email,
    registry.lower(part.seat ->> 'adresStronyInternetowej') as website,
    part.seat #>> '{adres,kodPocztowy}' as postal_code,
    part.seat #>> '{siedziba,powiat}' as county,
    part.seat #>> '{siedziba,gmina}' as commune,
    coalesce(part.seat #>> '{adres,miejscowosc}', part.seat #>> '{siedziba,miejscowosc}') as city,
    part.seat #>> '{adres,ulica}' as street,
    part.seat #>> '{adres,nrDomu}' as building,
    part.seat #>> '{adres,nrLokalu}' as apartment,
    coalesce(
        registry.region_code('PL', registry.lower(part.seat #>> '{siedziba,wojewodztwo}')),
        case when part.seat #> '{siedziba}' ? 'wojewodztwo' then known.voivodeship end
    ) as voivodeship,
    document.document ->> 'activity_version' as activity_version,
    document.document ->> 'activity_main' as activity_main,
    document.document ->> 'activity_codes' as activity_codes,
    coalesce(suspension.status, 'ACTIVE') as declared_status,
    suspension.suspension_day as suspension_date,
    suspension.resumption_day as resumption_date,
    coalesce(part.seat #>> '{adres,kraj}', part.seat #>> '{siedziba,kraj}')
        as address_country_code,
    coalesce(
        -- extract.ts decides whether a register entry is a strike-off.
        registry.calendar_day(document.document ->> 'struck_off_day'),
        case when document.document ? 'struck_off_day' then known.struck_off_date end
    )::text as struck_off_date,
    bankruptcy.start_day as bankruptcy_start_date,
    bankruptcy.end_day as bankruptcy_end_date,
    case
        when
            unit.units @> known.units
            and unit.units <@ known.units
            and jsonb_array_length(unit.units) = jsonb_array_length(known.units)
            then known.units
        else unit.units
    end as units,
    person.persons, other.dates as other_dates, bankruptcy.state as bankruptcy_state,
    restructuring.state as restructuring_state, restructuring.start_day as restructuring_start_date,
    restructuring.end_day as restructuring_end_date,
    part.seat ->> 'adresDoDoreczenElektronicznychWpisanyDoBAE' as e_delivery,
    -- If an extract does not state the number of its last register entry, the entry keeps the known number.
    coalesce((document.document ->> 'entry_no')::integer, known.version_no) as version_no,
    version.day as version_date,
    coalesce(document.document ->> 'register', known.version_register) as version_register,
    -- Only a full extract of KRS states former names. After a current extract, the entry keeps the former names that
    -- are already known from a full extract.
    coalesce(
        (
            select jsonb_agg(jsonb_build_object('type', 'former_name', 'value', former.name))
            from jsonb_array_elements_text(part.identity -> 'former_names') as former (name)
        ),
        known.other_names
    ) as other_names
from stage.document
cross join stage.night
left join registry.entry as known
    on known.source = 'krs'
    and known.entry_key = document.entry_key_hint
-- `offset 0` makes PostgreSQL extract each part of the document once, instead of at each use.
cross join lateral (
    select
        document.document -> 'sections' as sections,
        document.document #> '{sections,dzial1,danePodmiotu}' as identity,
        document.document #> '{sections,dzial1,siedzibaIAdres}' as seat
    offset 0
) as part
cross join lateral (
    select coalesce((document.document ->> 'state_day')::date, known.version_date) as day
) as version
-- Of several suspensions, the latest one applies; a suspension with an unreadable day counts as the latest.
left join lateral (
    select
        case when stated.is_readable then stated.suspension_day else known.suspension_date end::text
            as suspension_day,
        case when stated.is_readable then stated.resumption_day else known.resumption_date end::text
            as resumption_day,
        case
            when not stated.is_readable then known.declared_status
            when coalesce(stated.resumption_day < stated.suspension_day, true) then 'SUSPENDED'
        end as status
    from jsonb_path_query(
        part.sections, '$.dzial6.zawieszenieWznowienieDzialalnosci[*]'
    ) as suspension (item)
    cross join lateral (
        select
            days.*,
            days.suspension_day is not null
            and (days.resumption_day is not null or not suspension.item ? 'dataWznowienia')
                as is_readable
        from (
            select
                registry.calendar_day(suspension.item ->> 'dataZawieszenia') as suspension_day,
                registry.calendar_day(suspension.item ->> 'dataWznowienia') as resumption_day
        ) as days
    ) as stated
    where suspension.item ? 'dataZawieszenia'
    order by stated.is_readable, stated.suspension_day desc, stated.resumption_day desc nulls first
    limit 1
) as suspension on true
left join lateral stage.krs_proceeding(
    part.sections #> '{dzial6,postepowanieUpadlosciowe}',
    document.document ->> 'last_entry_day',
    known.bankruptcy_state, known.bankruptcy_start_date, known.bankruptcy_end_date
) as bankruptcy on true
left join lateral stage.krs_proceeding(
    part.sections #> '{dzial6,restrukturyzacja}',
    document.document ->> 'last_entry_day',
    known.restructuring_state, known.restructuring_start_date, known.restructuring_end_date
) as restructuring on true
-- Branches have no number in KRS, so branches at the same address are distinguished by their order. If only the order
-- of the known branches changes, the known order stays.
cross join lateral (
    select jsonb_agg(
        jsonb_build_object(
            'identifier', null,
            'name', branch.item ->> 'nazwa',
            'address', jsonb_build_object(
                'street', branch.item #>> '{adres,ulica}',
                'building', branch.item #>> '{adres,nrDomu}',
                'apartment', branch.item #>> '{adres,nrLokalu}',
                'city', coalesce(
                    branch.item #>> '{adres,miejscowosc}', branch.item #>> '{siedziba,miejscowosc}'
                ),
                'postal_code', registry.postal_code_pl(branch.item #>> '{adres,kodPocztowy}'),
                'voivodeship', registry.lower(branch.item #>> '{siedziba,wojewodztwo}'),
                'country_code', coalesce(
                    branch.item #>> '{adres,kraj}', branch.item #>> '{siedziba,kraj}'
                )
            ),
            'dates', jsonb_build_array()
        )
        order by branch.place
    ) as units
    from jsonb_path_query(part.sections, '$.dzial1.jednostkiTerenoweOddzialy[*]')
        with ordinality as branch (item, place)
) as unit
cross join lateral (
    select jsonb_agg(
        jsonb_build_object('kind', member.kind, 'full_name', stated.full_name, 'role', stated.role)
        || jsonb_strip_nulls(jsonb_build_object('holding', stated.holding, 'number', stated.number))
        order by member.kind, stated.full_name collate "C", stated.role collate "C"
    ) as persons
    from (
        select
            place.kind, place.role, found.item
        from (
            values
            ('shareholder', '$.dzial1.wspolnicySpzoo[*]'::jsonpath, 'Wspólnik'),
            ('shareholder', '$.dzial1.wspolnicyPartnerzy[*]', 'Wspólnik'),
            ('shareholder', '$.dzial1.jedynyAkcjonariusz[*]', 'Jedyny akcjonariusz'),
            ('representative', '$.dzial2.prokurenci[*]', 'Prokurent'),
            ('representative', '$.dzial2.pelnomocnicy[*]', 'Pełnomocnik'),
            ('representative', '$.dzial2.osobyReprezentujacePZ[*]', 'Osoba reprezentująca'),
            ('representative', '$.dzial2.reprezentacjaIBIGBPPSPZOZ[*]', 'Kierownik'),
            ('representative', '$.dzial5.kurator[*]', 'Kurator'),
            ('representative', '$.dzial6.likwidacja[*].likwidatorzy[*]', 'Likwidator'),
            -- `appointed` persons are appointed by a court or authority in a proceeding, whose opening makes the event.
            ('appointed', '$.dzial6.*[*].syndyk[*]', 'Syndyk'),
            ('appointed', '$.dzial6.*[*].nadzorca[*]', 'Nadzorca'),
            ('appointed', '$.dzial6.postepowanieUpadlosciowe[*].zarzadca[*]', 'Zarządca'),
            ('appointed', '$.dzial6.restrukturyzacja[*].zarzadca[*]', 'Zarządca'),
            ('appointed', '$.dzial6.*[*].nadzorca_lub_zarzadca[*]', 'Nadzorca lub zarządca'),
            ('appointed', '$.dzial6.*[*].reprezentant[*]', 'Osoba reprezentująca upadłego'),
            ('appointed', '$.dzial6.zarzadKomisaryczny[*].zarzadca[*]', 'Zarządca komisaryczny')
        ) as place (kind, path, role)
        cross join lateral jsonb_path_query(part.sections, place.path) as found (item)
        union all
        select
            'representative',
            coalesce(organ.item ->> 'nazwaOrganu', organ.item ->> 'nazwa'),
            found.item
        from jsonb_path_query(
            part.sections,
            '$.dzial2.keyvalue()
                ? (@.key == "reprezentacja" || @.key == "organNadzoru").value[*]'
        ) as organ (item)
        cross join lateral jsonb_path_query(organ.item, '$.sklad[*]') as found (item)
    ) as member
    cross join lateral (
        select
            coalesce(
                member.item ->> 'nazwa',
                member.item #>> '{podmiot,nazwa}',
                registry.join_texts(
                    ' ',
                    member.item #>> '{imiona,imie}',
                    member.item #>> '{imiona,imieDrugie}',
                    registry.join_texts(
                        '-',
                        member.item #>> '{nazwisko,nazwiskoICzlon}',
                        member.item #>> '{nazwisko,nazwiskoIICzlon}'
                    )
                )
            ) as full_name,
            concat(
                coalesce(member.item ->> 'funkcjaWOrganie', member.role),
                case
                    when
                        registry.lower(member.item ->> 'czyZawieszona') in ('true', 'tak')
                        -- A person's suspension may have ended after the last register entry (`version.day`), but
                        -- before the dump.
                        and coalesce(
                            registry.calendar_day(member.item ->> 'dataZawieszeniaDo')
                            >= greatest(version.day, night.dump_date),
                            true
                        )
                        then ', w zawieszeniu'
                end
            ) as role,
            member.item ->> 'posiadaneUdzialy' as holding,
            -- Of shareholders, companies have a KRS or REGON number, and natural persons have no number.
            case
                when member.kind = 'shareholder' then coalesce(
                    member.item ->> 'krs', member.item #>> '{podmiot,krs}',
                    member.item ->> 'regon', member.item #>> '{podmiot,regon}'
                )
            end as number
    ) as stated
    where stated.full_name is not null
) as person
cross join lateral (
    select jsonb_agg(
        jsonb_build_object('type', stated.type, 'date', day.date)
        order by stated.type collate "C", day.date
    ) as dates
    from (
        values
        ('Data rejestracji w KRS', document.document ->> 'registered_day'),
        ('Data uprawomocnienia wykreślenia', document.document ->> 'final_day'),
        (
            'Data otwarcia likwidacji',
            part.sections #>> '{dzial6,likwidacja,-1,otwarcieLikwidacji}'
        ),
        (
            'Data zakończenia likwidacji',
            part.sections #>> '{dzial6,likwidacja,-1,zakonczenieLikwidacji}'
        )
    ) as stated (type, written)
    cross join lateral (
        select coalesce(
            registry.calendar_day(stated.written)::text,
            jsonb_path_query_first(
                known.other_dates, '$[*] ? (@.type == $type).date', to_jsonb(stated)
            ) #>> '{}'
        ) as date
    ) as day
    where stated.written is not null and day.date is not null
) as other
