-- Companies that turned out to be one are joined, and what happened in the night is told. Runs in the
-- transaction that publishes.

update registry.entry
set company_id = merged_company.into_company_id
from stage.merged_company
where entry.company_id = merged_company.company_id;

update registry.entry_key
set company_id = merged_company.into_company_id
from stage.merged_company
where entry_key.company_id = merged_company.company_id;

update registry.event
set company_id = merged_company.into_company_id
from stage.merged_company
where event.company_id = merged_company.company_id;

update registry.corroboration
set company_id = merged_company.into_company_id
from stage.merged_company
where corroboration.company_id = merged_company.company_id;

update registry.company
set
    merged_into_id = merged_company.into_company_id,
    changed_snapshot_no = last_id.last_id + 1
from stage.merged_company
join registry.last_id on last_id.table_name = 'snapshot'
where company.company_id = merged_company.company_id;

update registry.company
set merged_into_id = merged_company.into_company_id
from stage.merged_company
where company.merged_into_id = merged_company.company_id;

-- One row per difference of a company: two entries that changed alike are told once. event_id: the
-- event with which another registry told the same already.
create unlogged table stage.told_event as
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

analyze stage.told_event;

-- That is the newest one of 30 days (before or after: registries come at different times), unless this
-- registry has told or confirmed the same since: who goes there and back again is told of each time.
-- Companies are looked at one by one, and only where another registry has told anything.
update stage.told_event
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
            event.company_id = told_event.company_id
            and event.event_type = told_event.event_type
            and event.event_date between night.dump_date - 30 and night.dump_date + 30
            and registry.event_meaning(event.event_type, event.old_value, event.new_value)
            = registry.event_meaning(
                told_event.event_type, told_event.old_value, told_event.new_value
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
select distinct on (told_event.company_id, told_event.event_id)
    told_event.company_id,
    told_event.event_id,
    night.source,
    night.run_id,
    told_event.entry_id,
    night.dump_date,
    told_event.old_value,
    told_event.new_value
from stage.told_event
cross join stage.night
where told_event.event_id is not null
order by
    told_event.company_id, told_event.event_id, told_event.entry_id, told_event.old_value,
    told_event.new_value;

-- The others are the events of the night, in a stable order.
insert into registry.event (
    company_id, event_id, entry_id, event_date, source, event_type, old_value, new_value
)
select
    told_event.company_id,
    last_id.last_id + row_number() over (
        order by
            told_event.company_id, told_event.entry_id, told_event.event_type,
            told_event.old_value, told_event.new_value
    ),
    told_event.entry_id,
    night.dump_date,
    night.source,
    told_event.event_type,
    told_event.old_value,
    told_event.new_value
from stage.told_event
cross join stage.night
cross join registry.last_id
where
    last_id.table_name = 'event'
    and told_event.event_id is null;
