-- Companies that are struck off and have no extract any more.
insert into stage.deleted_key (entry_key)
select distinct answer.answer ->> 'krs'
from stage.answer
where answer.answer ->> 'kind' = 'deleted';

insert into stage.notice (subject, value)
select 'answer', concat_ws(' ', answer.answer ->> 'status', answer.answer ->> 'title')
from stage.answer
where answer.answer ->> 'kind' = 'problem'
union all
select 'state after the day of the dump', extract.state_day::text
from stage.krs_extract as extract
cross join stage.night
where extract.state_day > night.dump_date
union all
select
    'older extract',
    concat_ws(', ', older.krs, 'entry ' || older.entry_no, 'state of ' || older.state_day)
from stage.krs_older as older
union all
select number.subject, number.written
from stage.krs_extract as extract
cross join lateral (
    select extract.identity -> 'identyfikatory' as told
) as identifier
cross join lateral (
    values
    (
        'NIP',
        identifier.told ->> 'nip',
        not registry.is_nip(coalesce(extract.nip, ''))
        and identifier.told ->> 'nip' ~ '[^0 -]'
    ),
    (
        'REGON',
        identifier.told ->> 'regon',
        not registry.is_regon9(coalesce(extract.regon9, ''))
        and identifier.told ->> 'regon' ~ '[^0 -]'
    ),
    ('NIP status', identifier.told ->> 'statusNip', true),
    ('REGON status', identifier.told ->> 'statusRegon', true)
) as number (subject, written, is_odd)
where number.written is not null and number.is_odd
union all
select 'legal form', extract.identity ->> 'formaPrawna'
from stage.krs_extract as extract
where
    extract.identity ? 'formaPrawna'
    and not exists (
        select from stage.krs_legal_form as legal_form
        where legal_form.written
            = translate(upper(extract.identity ->> 'formaPrawna'), ' -', '')
    )
union all
select 'voivodeship', seat.voivodeship
from stage.krs_extract as extract
cross join lateral (
    select extract.content #>> '{sections,dzial1,siedzibaIAdres,siedziba,wojewodztwo}'
        as voivodeship
) as seat
where
    seat.voivodeship is not null
    and not exists (
        select from registry.voivodeship
        where voivodeship.name = lower(seat.voivodeship)
    )
union all
select 'activity', activity.written
from stage.krs_activity as activity
where
    not exists (
        select from registry.activity_code
        where activity_code.code = activity.code
    )
    and not exists (
        select from registry.activity_group
        where length(activity.code) < 5 and activity_group.code = left(activity.code, 3)
    )
union all
select proceeding.subject || ' without a date', extract.krs
from stage.krs_extract as extract
cross join (
    values
    ('bankruptcy', '{sections,dzial6,postepowanieUpadlosciowe}'::text[]),
    ('restructuring', '{sections,dzial6,restrukturyzacja}')
) as proceeding (subject, path)
where jsonb_path_exists(
    extract.content #> proceeding.path, '$[*].otwarcie ? (!exists(@.data))'
)
union all
select 'proceedings', proceeding.kind #>> '{}'
from stage.krs_extract as extract
cross join lateral jsonb_path_query(
    extract.content, '$.sections.dzial6.restrukturyzacja[*].otwarcie.rodzajPostepowania'
) as proceeding (kind)
where proceeding.kind #>> '{}' ~* 'likwidac';
