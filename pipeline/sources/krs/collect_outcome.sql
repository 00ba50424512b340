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
select odd.subject, odd.value
from stage.krs_extract as extract
cross join lateral (
    select
        extract.identity -> 'identyfikatory' as identifiers,
        extract.identity ->> 'formaPrawna' as legal_form,
        extract.content #>> '{sections,dzial1,siedzibaIAdres,siedziba,wojewodztwo}'
            as voivodeship
) as told
cross join lateral (
    values
    (
        'NIP',
        told.identifiers ->> 'nip',
        not registry.is_nip(coalesce(extract.nip, ''))
        and told.identifiers ->> 'nip' ~ '[^0 -]'
    ),
    (
        'REGON',
        told.identifiers ->> 'regon',
        not registry.is_regon9(coalesce(extract.regon9, ''))
        and told.identifiers ->> 'regon' ~ '[^0 -]'
    ),
    ('NIP status', told.identifiers ->> 'statusNip', true),
    ('REGON status', told.identifiers ->> 'statusRegon', true),
    (
        'legal form',
        told.legal_form,
        not exists (
            select from stage.krs_legal_form as legal_form
            where legal_form.written = translate(upper(told.legal_form), ' -', '')
        )
    ),
    (
        'voivodeship',
        told.voivodeship,
        not exists (
            select from registry.voivodeship where voivodeship.name = lower(told.voivodeship)
        )
    )
) as odd (subject, value, is_odd)
where odd.value is not null and odd.is_odd
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
