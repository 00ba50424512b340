-- One document an extract, with what the dictionaries and the entry of yesterday say of it; and
-- what the extracts hold that is not known.

-- One row per extract. `previous_…`: what its entry said last. `repeats_full`: a current extract
-- that says the same as the full one beside it.
create unlogged table stage.krs_extract as
with full_extract as (
    select distinct
        answer.answer ->> 'krs' as krs,
        answer.answer -> 'content' as content
    from stage.answer
    where answer.answer ->> 'form' = 'full'
)

select
    answer.file_no,
    answer.line,
    answer.raw,
    answer.answer ->> 'krs' as krs,
    answer.answer ->> 'form' as form,
    state.day as state_day,
    answer.answer ->> 'entry_day' as entry_day,
    coalesce(
        answer.answer ->> 'activity_day',
        answer.answer -> 'content' ->> 'registered_day'
    ) as activity_day,
    answer.answer -> 'content' as content,
    answer.answer #> '{content,sections,dzial1}' as identity,
    entry.nip as previous_nip,
    entry.regon9 as previous_regon9,
    entry.legal_form as previous_legal_form,
    entry.activity_version as previous_version,
    entry.bankruptcy_start_date as previous_bankruptcy_day,
    answer.answer ->> 'form' = 'current' and full_extract.krs is not null as repeats_full
from stage.answer
left join registry.calendar as state on state.written = answer.answer ->> 'state_day'
left join registry.entry_key
    on entry_key.source = 'krs'
    and entry_key.entry_key = answer.answer ->> 'krs'
left join registry.entry
    on entry.source = entry_key.source
    and entry.company_id = entry_key.company_id
    and entry.entry_id = entry_key.entry_id
left join full_extract
    on full_extract.krs = answer.answer ->> 'krs'
    and full_extract.content = answer.answer -> 'content'
where answer.answer ->> 'kind' = 'extract';

-- An extract is of the day on which it was asked for, which may be later than the day whose changes
-- the dump holds, but not later than today.
insert into stage.reject (file_no, line, reason, raw, is_repeat, entry_key)
select
    extract.file_no,
    extract.line,
    case
        when extract.repeats_full then 'repeats another row of the same entry'
        else format('the state of %s is in the future', extract.state_day)
    end,
    extract.raw,
    extract.repeats_full,
    extract.krs
from stage.krs_extract as extract
cross join stage.night
where
    extract.repeats_full
    or extract.state_day > (night.published_at at time zone 'Europe/Warsaw')::date;

delete from stage.krs_extract
using stage.reject
where reject.file_no = krs_extract.file_no and reject.line = krs_extract.line;

analyze stage.krs_extract;

-- One row per activity of an extract; null in place of a code that is not whole, such as that of a
-- division alone, which old entries have.
create unlogged table stage.krs_activity as
select
    extract.file_no,
    extract.line,
    activity.rank,
    activity.is_main,
    concat_ws('.', part.division, part.class, part.subclass) as written,
    case
        when part.division || part.class || part.subclass ~ '^[0-9]{4}[A-Z]$'
            then part.division || part.class || part.subclass
    end as code,
    translate(upper(activity.item ->> 'opis'), ' ,;.:-()', '') as name
from stage.krs_extract as extract
cross join lateral (
    select true as is_main, main.rank, main.item
    from jsonb_path_query(
        extract.content,
        '$.sections.dzial3.przedmiotDzialalnosci.przedmiotPrzewazajacejDzialalnosci[*]'
    ) with ordinality as main (item, rank)
    union all
    select false, other.rank, other.item
    from jsonb_path_query(
        extract.content,
        '$.sections.dzial3.przedmiotDzialalnosci.przedmiotPozostalejDzialalnosci[*]'
    ) with ordinality as other (item, rank)
) as activity
cross join lateral (
    select
        activity.item ->> 'kodDzial' as division,
        activity.item ->> 'kodKlasa' as class,
        upper(activity.item ->> 'kodPodklasa') as subclass
) as part;

create index on stage.krs_activity (file_no, line);
analyze stage.krs_activity;

-- One row per legal form, as the register writes it: as our labels are, in capitals.
create unlogged table stage.krs_legal_form as
select
    translate(upper(legal_form.label), ' -', '') as written,
    min(legal_form.slug) as slug
from registry.legal_form
group by translate(upper(legal_form.label), ' -', '');

analyze stage.krs_legal_form;

-- KRS names no version of the classification. It is the one that knows more of the codes; of the
-- two alike, the one whose names of the codes the extract writes; then the one that the entry had,
-- so that a list that fits both is never taken for a reclassification; then the one in force on the
-- day on which the activities were entered, or the company, where that is not told.
insert into stage.document (file_no, line, entry_key_hint, document, raw)
select
    extract.file_no,
    extract.line,
    extract.krs,
    extract.content || jsonb_build_object(
        'krs', extract.krs,
        'entry_day', extract.entry_day,
        -- A legal form that is not known, or a number that is not valid, says nothing: what was
        -- known stays.
        'legal_form', coalesce(
            legal_form.slug,
            case
                when extract.identity #>> '{danePodmiotu,formaPrawna}' is not null
                    then extract.previous_legal_form
            end
        ),
        'previous_bankruptcy_day', extract.previous_bankruptcy_day,
        'nip', case
            when number.nip is null or registry.is_nip(number.nip) then number.nip
            else extract.previous_nip
        end,
        'regon9', case
            when number.regon9 is null or registry.is_regon9(number.regon9) then number.regon9
            else extract.previous_regon9
        end,
        'activity_version', activity.version,
        'activity_main', activity.main,
        'activity_codes', coalesce(activity.codes, '[]')
    ),
    extract.raw
from stage.krs_extract as extract
left join stage.krs_legal_form as legal_form
    on legal_form.written
    = translate(upper(extract.identity #>> '{danePodmiotu,formaPrawna}'), ' -', '')
cross join lateral (
    select
        nullif(
            translate(extract.identity #>> '{danePodmiotu,identyfikatory,nip}', '- ', ''),
            '0000000000'
        ) as nip,
        nullif(
            left(extract.identity #>> '{danePodmiotu,identyfikatory,regon}', 9),
            '000000000'
        ) as regon9
) as number
left join lateral (
    select
        (array_agg(activity.code order by activity.rank) filter (where activity.is_main))[1]
            as main,
        jsonb_agg(activity.code order by activity.is_main desc, activity.rank) as codes,
        (
            select version.version
            from (values (2007::smallint), (2025::smallint)) as version (version)
            order by
                (
                    select count(*)
                    from stage.krs_activity as told
                    join registry.activity_code using (code)
                    where
                        told.file_no = extract.file_no
                        and told.line = extract.line
                        and activity_code.version = version.version
                ) desc,
                (
                    select count(*)
                    from stage.krs_activity as told
                    join registry.activity_code using (code)
                    where
                        told.file_no = extract.file_no
                        and told.line = extract.line
                        and activity_code.version = version.version
                        and translate(upper(activity_code.name), ' ,;.:-()', '') = told.name
                ) desc,
                coalesce(version.version = extract.previous_version, false) desc,
                (version.version = 2025)
                = coalesce(extract.activity_day >= '2025-01-01', false) desc
            limit 1
        ) as version
    from stage.krs_activity as activity
    where
        activity.file_no = extract.file_no
        and activity.line = extract.line
        and activity.code is not null
    having count(*) > 0
) as activity on true;
