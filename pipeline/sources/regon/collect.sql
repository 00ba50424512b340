-- Makes one document per activity from all reports of REGON on the activity and on its owner. collect_daily_lists.sql
-- applies the daily lists new.txt, updated.txt and deleted.txt.

-- Holds one row per report, with the REGON of the company that the report is about. The column `entity` is 'P' for a
-- legal person, 'F' for a natural person. The column `rows` is null if REGON answered that no records exist.
create unlogged table stage.regon_report as
with report as (
    select
        answer.file_no, answer.line, answer.raw,
        stated.*,
        coalesce(substring(file.file_key from '^(.*)/'), '') as folder,
        named.number
    from stage.answer
    join stage.file using (file_no)
    cross join lateral jsonb_to_record(answer.answer) as stated (
        kind text, code text, entity text, part text, silo text, rows jsonb, regon text
    )
    cross join lateral (
        select
            substring(file.file_key from '(?<!\d)(\d{14}|\d{9})(?!\d)[^/]*$') as file_number,
            substring(file.file_key from '^.*(?<!\d)(\d{14}|\d{9})(?!\d).*/') as folder_number
    ) as written
    -- An answer without a REGON gets the first REGON in its file's name, else the last REGON in its folders' names.
    cross join lateral (
        select case
            when registry.is_regon9(left(written.file_number, 9)) then written.file_number
            when registry.is_regon9(left(written.folder_number, 9)) then written.folder_number
        end as number
    ) as named
    where
        stated.part <> ''
        and (
            stated.kind = 'report'
            -- The error codes 4, 21 and 22 mean that a company has no local units or no partners. Error answers about
            -- activity codes are ignored. Error code 11 means that codes are not published.
            or (stated.code in ('4', '21', '22') and stated.part in ('units', 'partners'))
        )
)

select report.*, coalesce(report.regon, left(report.number, 9), folder_owner.regon) as regon9
from report
left join (
    select folder, min(regon) as regon
    from report
    group by folder
    having count(distinct regon) = 1
) as folder_owner using (folder)
-- An answer that is labelled only with a local unit's REGON is not about the company.
where report.regon is not null or report.number ~ '^[0-9]{9}(0{5})?$' is not false;

analyze stage.regon_report;

-- Holds one row per company and part of its data, such as units or partners, with the records of the best answer. An
-- answer with records is better than an answer without records. An answer that states the version of activity codes is
-- better than an answer that states none. All reports on single local units (part `unit`) are used.
create unlogged table stage.regon_part as
select distinct on (report.regon9, report.entity, report.part)
    report.regon9, report.entity, report.part,
    case
        when report.part = 'unit' then jsonb_path_query_array(
            jsonb_agg(report.rows order by report.file_no, report.line), '$[*][*]'
        )
        else coalesce(min(report.rows::text), '[]')::jsonb
    end as records,
    report.part <> 'unit' and min(report.rows::text) <> max(report.rows::text) as is_contradicted
from stage.regon_report as report
cross join lateral (
    select (report.rows is not null)::integer
        + coalesce(report.rows @? '$[*].version', false)::integer as rank
) as rank
where report.part <> 'main' and report.regon9 is not null
group by report.regon9, report.entity, report.part, rank.rank
order by report.regon9, report.entity, report.part, rank.rank desc;

analyze stage.regon_part;

-- Holds one row per main report of an activity, with the company's other reports; a report that the dump lacks is null.
create unlogged table stage.regon_activity as
select
    main.file_no, main.line, main.raw, regon9, entity, main.silo,
    regon9 || '-' || main.silo as entry_key,
    main.rows -> 0 as activity,
    part.records -> 'person' -> 0 as person,
    part.records -> 'codes' as codes,
    -- If REGON counts no local units, a fetch does not request their list, so a missing list means no units. If REGON
    -- counts local units, an empty list of them is ignored.
    case
        when stated.unit_count ~ '^0+$' and part.records -> 'units' is null then '[]'
        when stated.unit_count ~ '[1-9]' and part.records -> 'units' = '[]' then null
        else part.records -> 'units'
    end as units,
    part.records -> 'unit' as unit_details,
    part.records -> 'partners' as partners,
    case
        when entity = 'F' and part.records -> 'person' is null
            then registry.rejection(
                'missing_report', 'without the report OsFizycznaDaneOgolne of the person'
            )
        when part.contradicted is not null
            then registry.rejection(
                'contradiction', 'other reports contradict each other: %s', part.contradicted
            )
    end as reason
from stage.regon_report as main
left join (
    select
        regon_part.regon9,
        regon_part.entity,
        jsonb_object_agg(regon_part.part, regon_part.records) as records,
        string_agg(regon_part.part, ', ' order by regon_part.part)
            filter (where regon_part.is_contradicted) as contradicted
    from stage.regon_part
    group by regon_part.regon9, regon_part.entity
) as part using (regon9, entity)
cross join lateral (
    select coalesce(part.records -> 'person', main.rows) -> 0 ->> 'unit_count' as unit_count
) as stated
where main.part = 'main';

analyze stage.regon_activity;

insert into stage.document (file_no, line, entry_key_hint, document, raw)
select
    main.file_no, main.line, main.entry_key,
    jsonb_strip_nulls(
        to_jsonb(main) - '{file_no, line, raw, entity, entry_key, reason}'::text[]
    ),
    main.raw
from stage.regon_activity as main
where main.reason is null;

analyze stage.document;

insert into stage.reject (file_no, line, reject_code, reason, raw, entry_key)
select file_no, line, (reason).reject_code, (reason).reason, raw, entry_key
from stage.regon_activity
where reason is not null
union all
select
    report.file_no,
    report.line,
    'missing_report',
    case
        when report.regon9 is null
            then 'whose it is tell neither the answer nor the names of its file and folder'
        else format('the dump holds no main report of %s', report.regon9)
    end,
    report.raw,
    null
from stage.regon_report as report
where
    report.part <> 'main'
    -- An answer which states that there are no records is valid, and therefore not rejected.
    and report.rows is not null
    and not exists (
        select from stage.regon_activity as activity
        where activity.regon9 = report.regon9 and activity.entity = report.entity
    )
    -- Reports on a person without any activity are not rejected, although the person has no main report.
    and not exists (
        select from stage.regon_part as person
        where
            person.regon9 = report.regon9
            and person.part = 'person'
            and report.entity = 'F'
            and not person.records
            @? '$[*].keyvalue() ? (@.key starts with "has_" && @.value != "0")'
    );
