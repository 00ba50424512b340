-- Lists the struck-off companies for which KRS returns no extract, and notes unknown values of extracts.
insert into stage.deleted_key (entry_key)
select distinct answer.answer ->> 'krs'
from stage.answer
where answer.answer ->> 'kind' = 'deleted';

insert into stage.notice (subject, value)
select 'state after the day of the dump', document.document ->> 'state_day'
from stage.document
cross join stage.night
where (document.document ->> 'state_day')::date > night.dump_date
union all
select odd.subject, odd.value
from stage.document
cross join lateral (
    select
        number.*,
        document.document #>> '{sections,dzial1,danePodmiotu,formaPrawna}' as legal_form,
        document.document #>> '{sections,dzial1,siedzibaIAdres,siedziba,wojewodztwo}'
            as voivodeship
    from jsonb_to_record(
        coalesce(document.document #> '{sections,dzial1,danePodmiotu,identyfikatory}', '{}')
    ) as number (nip text, regon text, "statusNip" text, "statusRegon" text)
) as stated
cross join lateral (
    values
    ('NIP', stated.nip, stated.nip ~ '[^0 -]' and not registry.is_nip(document.document ->> 'nip')),
    (
        'REGON', stated.regon,
        stated.regon ~ '[^0 -]' and not registry.is_regon9(document.document ->> 'regon9')
    ),
    ('NIP status', stated."statusNip", not stage.is_in_force(stated."statusNip")),
    ('REGON status', stated."statusRegon", not stage.is_in_force(stated."statusRegon")),
    ('legal form', stated.legal_form, document.document ->> 'legal_form' is null),
    (
        'voivodeship', stated.voivodeship,
        registry.region_code('PL', registry.lower(stated.voivodeship)) is null
    )
) as odd (subject, value, is_odd)
where odd.value is not null and odd.is_odd
union all
select 'activity', activity.written
from stage.krs_activity as activity
where
    activity.code is null
    or activity.code not in (
        select left(activity_code.code, length)
        from registry.activity_code
        cross join generate_series(2, 5) as length
        where activity_code.version in (2007, 2025)
    )
union all
select proceeding.subject || ' without a date', document.entry_key_hint
from stage.document
cross join (
    values
    ('bankruptcy', '$.postepowanieUpadlosciowe[*].otwarcie ? (!exists(@.data))'::jsonpath),
    ('restructuring', '$.restrukturyzacja[*].otwarcie ? (!exists(@.data))')
) as proceeding (subject, path)
where document.document #> '{sections,dzial6}' @? proceeding.path
union all
select 'proceedings', proceeding.kind #>> '{}'
from stage.document
cross join lateral jsonb_path_query(
    document.document,
    '$.sections.dzial6.restrukturyzacja[*].otwarcie.rodzajPostepowania
        ? (@ like_regex "likwidac" flag "i")'
) as proceeding (kind);

insert into stage.former_unit (entry_key, name, former_name)
select distinct
    document.entry_key_hint,
    branch.item ->> 'nazwa',
    former.name
from stage.document
cross join lateral jsonb_path_query(
    document.document, '$.sections.dzial1.jednostkiTerenoweOddzialy[*] ? (exists(@.former_names))'
) as branch (item)
cross join lateral jsonb_array_elements_text(branch.item -> 'former_names') as former (name);
