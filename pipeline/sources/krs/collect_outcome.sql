-- Companies that are struck off and have no extract any more.
insert into stage.deleted_number (number)
select distinct answer.answer ->> 'krs'
from stage.answer
where answer.answer ->> 'kind' = 'deleted';

insert into stage.outcome (subject, value)
select 'answer', concat_ws(' ', answer.answer ->> 'status', answer.answer ->> 'title')
from stage.answer
where answer.answer ->> 'kind' = 'problem'
union all
select odd.value ->> 'subject', odd.value ->> 'value'
from stage.answer
cross join lateral jsonb_path_query(answer.answer, '$.odd[*]') as odd (value)
union all
select 'state after the day of the dump', extract.state_day::text
from stage.krs_extract as extract
cross join stage.night
where extract.state_day > night.dump_date
union all
select 'NIP', extract.identity #>> '{danePodmiotu,identyfikatory,nip}'
from stage.krs_extract as extract
cross join lateral (
    select translate(extract.identity #>> '{danePodmiotu,identyfikatory,nip}', '- ', '') as nip
) as number
where number.nip <> '0000000000' and not registry.is_nip(number.nip)
union all
select 'REGON', extract.identity #>> '{danePodmiotu,identyfikatory,regon}'
from stage.krs_extract as extract
cross join lateral (
    select left(extract.identity #>> '{danePodmiotu,identyfikatory,regon}', 9) as regon9
) as number
where number.regon9 <> '000000000' and not registry.is_regon9(number.regon9)
union all
select 'legal form', extract.identity #>> '{danePodmiotu,formaPrawna}'
from stage.krs_extract as extract
where not exists (
    select from stage.krs_legal_form as legal_form
    where legal_form.written
        = translate(upper(extract.identity #>> '{danePodmiotu,formaPrawna}'), ' -', '')
)
union all
select 'voivodeship', seat.voivodeship
from stage.krs_extract as extract
cross join lateral (
    select extract.identity #>> '{siedzibaIAdres,siedziba,wojewodztwo}' as voivodeship
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
where not exists (
    select from registry.activity_code
    where activity_code.code = activity.code
)
union all
select 'bankruptcy without a date', extract.krs
from stage.krs_extract as extract
where jsonb_path_exists(
    extract.content,
    '$.sections.dzial6.postepowanieUpadlosciowe[*].informacjaOOgloszeniuUpadlosci
        ? (!exists(@.data))'
);
