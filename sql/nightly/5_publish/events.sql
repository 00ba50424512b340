-- Writes the events of the night; event_date is the day of the dump.

-- One row per change of a company: two entries with the same change make one event. event_id: the event
-- of another registry that this change confirms; null for a new event.
create unlogged table stage.company_event as
select
    coalesce(merged_company.into_company_id, event.company_id) as company_id,
    min(event.entry_id) as entry_id,
    event.event_type,
    event.old_value,
    event.new_value,
    null::bigint as event_id
from stage.event
left join stage.merged_company on merged_company.company_id = event.company_id
group by 1, event.event_type, event.old_value, event.new_value;

analyze stage.company_event;

-- A change confirms the newest event of the same change by another registry, at most 30 days before or
-- after: registries differ in speed. It confirms nothing when this registry has reported or confirmed
-- the same change later: each change there and back is an event. The search runs company by company,
-- and only when another registry has events in these days.
update stage.company_event
set event_id = (
    select case
        when
            max(known.event_id) filter (where not known.is_own)
            > coalesce(max(known.event_id) filter (where known.is_own), 0)
            then max(known.event_id) filter (where not known.is_own)
    end
    from (
        select
            event.event_id,
            event.source = night.source or corroboration.event_id is not null as is_own
        from registry.event
        left join registry.corroboration
            on corroboration.company_id = event.company_id
            and corroboration.event_id = event.event_id
            and corroboration.source = night.source
        where
            event.company_id = company_event.company_id
            and event.event_type = company_event.event_type
            and event.event_date between night.dump_date - 30 and night.dump_date + 30
            and registry.is_same_change(
                event.event_type, event.old_value, event.new_value, company_event.old_value,
                company_event.new_value
            )
        offset 0
    ) as known
)
from stage.night
where exists (
    select from registry.run
    where
        run.source <> night.source
        and run.event_count > 0
        and run.dump_date between night.dump_date - 30 and night.dump_date + 30
);

insert into registry.corroboration (
    company_id, event_id, source, run_id, entry_id, event_date, old_value, new_value
)
select distinct on (company_event.company_id, company_event.event_id)
    company_event.company_id,
    company_event.event_id,
    night.source,
    night.run_id,
    company_event.entry_id,
    night.dump_date,
    company_event.old_value,
    company_event.new_value
from stage.company_event
cross join stage.night
where company_event.event_id is not null
order by
    company_event.company_id, company_event.event_id, company_event.entry_id,
    company_event.old_value collate "C", company_event.new_value collate "C";

-- All other changes are new events, in a stable order. Proceedings that begin and end in one night come
-- in the order of their dates.
insert into registry.event (
    company_id, event_id, entry_id, event_date, source, event_type, old_value, new_value
)
select
    company_event.company_id,
    last_id.last_id + row_number() over (
        order by
            company_event.company_id, company_event.entry_id,
            regexp_replace(company_event.event_type, '_(STARTED|ENDED)$', '') collate "C",
            case when company_event.event_type ~ '_(STARTED|ENDED)$' then company_event.new_value end,
            company_event.event_type ~ '_ENDED$',
            company_event.event_type collate "C", company_event.old_value collate "C",
            company_event.new_value collate "C"
    ),
    company_event.entry_id,
    night.dump_date,
    night.source,
    company_event.event_type,
    company_event.old_value,
    company_event.new_value
from stage.company_event
cross join stage.night
cross join registry.last_id
where
    last_id.table_name = 'event'
    and company_event.event_id is null;
