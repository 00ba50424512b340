-- Applies the daily lists new.txt, updated.txt and deleted.txt of REGON, which source.ts reads; notes missing reports.

-- Holds one row per line of a daily list.
create view stage.regon_listed as
select listed.*, left(listed.number, 9) as regon9
from stage.answer
cross join lateral jsonb_to_record(answer.answer) as listed (list text, number text, is_unit boolean)
where answer.answer ->> 'kind' = 'list';

-- Holds one row per silo (kind of activity) of a person without a main report; `is_counted` is true if the person still
-- has such an activity.
create view stage.regon_unreported as
select
    person.regon9 || '-' || silo.silo as entry_key,
    person.records -> 0 ->> ('has_' || silo.silo) <> '0' as is_counted
from stage.regon_part as person
cross join (values (1), (2), (3), (4)) as silo (silo)
where
    person.part = 'person'
    and not exists (
        select from stage.regon_activity as activity
        where activity.entry_key = person.regon9 || '-' || silo.silo
    );

-- Lists the deleted entries of REGON. Reports on a company take precedence over the list of deletions, because the list
-- also names persons who ended only one of several activities. Without usable reports, the list of deletions applies,
-- because no later list repeats its deletions.
insert into stage.deleted_key (entry_key)
with stated as (
    select distinct document.document ->> 'regon9' as regon9
    from stage.document
    group by document.entry_key_hint, document.document ->> 'regon9'
    having count(distinct document.document) = 1
)

select distinct listed.regon9 || '-' || silo.silo
from stage.regon_listed as listed
cross join (values (1), (2), (3), (4), (6)) as silo (silo)
where
    listed.list = 'deleted'
    and not listed.is_unit
    and listed.regon9 not in (select stated.regon9 from stated)
union
-- A known activity is also deleted if the report DaneOgolne states that the person no longer has such an activity.
select entry.entry_key
from stage.regon_unreported as unreported
join registry.entry
    on entry.source = 'regon'
    and entry.entry_key = unreported.entry_key
where not unreported.is_counted;

-- Notes answers that are no report, activities whose main report the dump lacks, and listed numbers without an answer.
-- Answers to a search (`DaneSzukajPodmioty`) are no reports.
insert into stage.notice (subject, value)
select 'answer without a report', format('%s in %s', answer.answer ->> 'report', file.file)
from stage.answer
join stage.file using (file_no)
where
    answer.answer ->> 'kind' = 'report'
    and answer.answer ->> 'report' = 'DaneSzukajPodmioty'
union all
select 'listed without an answer', format('%s %s', listed.list, listed.number)
from stage.regon_listed as listed
where
    (listed.list <> 'deleted' or listed.is_unit)
    and not exists (
        select from stage.answer
        where left(answer.answer ->> 'regon', 9) = listed.regon9
    )
union all
select 'activity without its report', unreported.entry_key
from stage.regon_unreported as unreported
where unreported.is_counted;
