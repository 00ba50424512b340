-- Merges equal events of a company's entries into one change, and finds the changes that confirm (corroborate) an event
-- of another registry. The event and the change are at most registry.confirmation_days apart (function/02_figures.sql).

-- Holds one row per change of a company: the same change in two entries makes one row. `event_id` is the event of
-- another registry that the change confirms; null if the change is a new event.
create unlogged table stage.company_event as
select
    event.company_id,
    min(event.entry_id) as entry_id,
    event.event_type, event.old_value, event.new_value,
    null::bigint as event_id
from stage.event
group by 1, event.event_type, event.old_value, event.new_value;

analyze stage.company_event;

-- Finds the event that a change confirms: an event of another registry with the same meaning, at most
-- `registry.confirmation_days` apart. An event is skipped if the registry of the night has since reported or confirmed
-- the same change. A value that changes back and forth therefore makes an event each time. Of several events, an event
-- with the same new value takes precedence, then the newest event. The search for a confirmed event runs only if
-- another registry has events within `registry.confirmation_days`.
update stage.company_event
set event_id = (
    select known.event_id
    from (
        select
            stated.*,
            max(stated.event_id) filter (where stated.is_own) over () as own_id
        from (
            select
                event.event_id,
                event.new_value is not distinct from company_event.new_value as is_equal,
                event.source = night.source or corroboration.event_id is not null as is_own
            from registry.event
            left join registry.corroboration
                on (corroboration.company_id, corroboration.event_id) = (event.company_id, event.event_id)
                and corroboration.source = night.source
            where
                (event.company_id, event.event_type) = (company_event.company_id, company_event.event_type)
                and abs(event.event_date - night.dump_date) <= registry.confirmation_days()
                and registry.event_meaning(
                    night.country_code, event.event_type, event.old_value, event.new_value
                )
                = registry.event_meaning(
                    night.country_code, event.event_type, company_event.old_value,
                    company_event.new_value
                )
            offset 0
        ) as stated
    ) as known
    where not known.is_own and known.event_id > coalesce(known.own_id, 0)
    order by known.is_equal desc, known.event_id desc
    limit 1
)
from stage.night
where exists (
    select from registry.run
    where
        run.source <> night.source
        and run.event_count > 0
        and abs(run.dump_date - night.dump_date) <= registry.confirmation_days()
);

-- Deletes new events whose content another registry has already reported: a number that the other registry's entry has,
-- or the end of a company that was struck off recently. A new event stays if the registry of the night has reported the
-- same subject of the company before, or if the number merges two companies tonight.
delete from stage.company_event
using stage.night, registry.event_type
where
    company_event.event_id is null
    and event_type.event_type = company_event.event_type
    and (
        company_event.event_type = 'COMPANY_CLOSED_DATE'
        and exists (
            select from registry.event
            join registry.entry using (company_id, entry_id)
            where
                event.company_id = company_event.company_id
                and event.event_type = 'COMPANY_STRUCK_OFF'
                and event.source <> night.source
                and abs(event.event_date - night.dump_date) <= registry.confirmation_days()
                and entry.status = 'DELETED'
        )
        or company_event.event_type ~ '_ASSIGNED$'
        and exists (
            select
            from analyst.entry as holder
            join registry.entry as held using (company_id, entry_id)
            join analyst.entry as adopter using (company_id)
            cross join lateral registry.entry_numbers(held) as number
            where
                holder.company_id = company_event.company_id
                and holder.source <> night.source
                and adopter.entry_id = company_event.entry_id
                and number.event_subject = event_type.subject
                and number.identifier_value = company_event.new_value
                and (
                    holder.first_seen_date <= adopter.first_seen_date
                    and company_event.company_id not in (
                        select merged_company.into_company_id from stage.merged_company
                    )
                    or exists (
                        select from registry.event
                        where
                            event.company_id = company_event.company_id
                            and event.event_type = company_event.event_type
                            and event.new_value = company_event.new_value
                    )
                )
        )
    )
    and not exists (
        select
        from registry.event
        join registry.event_type as known_type using (event_type)
        left join registry.corroboration using (company_id, event_id)
        where
            event.company_id = company_event.company_id
            and known_type.subject = event_type.subject
            and night.source in (event.source, corroboration.source)
    );

insert into registry.corroboration (
    company_id, event_id, source, entry_id, event_date, old_value, new_value
)
select distinct on (company_event.company_id, company_event.event_id)
    company_event.company_id, company_event.event_id, night.source, company_event.entry_id,
    night.dump_date, company_event.old_value, company_event.new_value
from stage.company_event
cross join stage.night
where company_event.event_id is not null
order by
    company_event.company_id, company_event.event_id, company_event.entry_id,
    company_event.old_value collate "C", company_event.new_value collate "C";
