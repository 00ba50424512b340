-- Writes an event for each company that is new tonight: no registry had an entry of the company before. (An entry that
-- is back makes the event COMPANY_REOPENED of states.sql.) The id of a new company is above `entry_id_before`
-- (reserve_entry_ids.sql), since a known company keeps its older id. The event belongs to the company's active entry
-- with the latest start date, if it has active entries, and states the name that lists show. A company whose entries
-- have all ended makes no event. A first snapshot and an import on demand write no events about new companies. The
-- first full dump after deltas counts as a first snapshot, since it has all companies that no delta has listed.
with unread as materialized (
    -- Lists the numbers in rejected rows of the first snapshot: companies with these numbers do not count as new later.
    select distinct number.value
    from stage.night
    join registry.run using (source)
    join registry.reject on reject.run_id = run.run_id
    cross join lateral regexp_matches(reject.raw, '\w*[0-9]{5}\w*', 'g') as match (part)
    -- The 14-digit number of a unit begins with the number of its company.
    cross join lateral (values (match.part[1]), (left(match.part[1], 9))) as number (value)
    where run.is_baseline and reject.raw <> ''
)

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select distinct on (entry.company_id)
    entry.company_id,
    entry.entry_id,
    type.event_type,
    null,
    case
        when not person.hides(row(entry.*)::registry.entry, type, listed_name)
            then listed_name
    end
from stage.new_entry as entry
cross join stage.night
cross join lateral registry.listed_name(row(entry.*)::registry.entry)
join registry.event_type as type on type.event_type = 'COMPANY_REGISTERED'
where
    -- The subquery on stage.night is evaluated once, before any scan of the entries.
    (
        select
            not night.is_import
            and case night.dump_kind when 'full' then night.compared_run_id else night.previous_run_id end
                is not null
        from stage.night
    )
    and entry.company_id > night.entry_id_before
    and entry.status <> 'DELETED'
    -- A person who asked to be forgotten gets no events.
    and (entry.withdrawn_until = 'infinity' and entry.entity_type = 'NATURAL') is not true
    -- The subqueries on `unread` do not depend on the entry, so that Postgres runs them once.
    and not (
        exists (select from unread)
        and (
            entry.entry_key in (select unread.value from unread)
            or exists (
                select
                from registry.entry_numbers(row(entry.*)::registry.entry) as number
                where number.identifier_value in (select unread.value from unread)
            )
        )
    )
order by entry.company_id, entry.status = 'ACTIVE' desc, entry.start_date desc nulls last, entry.entry_id;
