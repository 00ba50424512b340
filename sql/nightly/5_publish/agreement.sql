-- Counts what other registries say of the entries that the night wrote. Registries are compared where both
-- tell a field; of several entries of the other one, a single one that says the same is enough. A first
-- snapshot is compared with nothing: it would cost a look at every company.

-- One row per entry that the night wrote: as it is now, by its company as it is now.
create unlogged table stage.written as
select written.company_id, written.entry_id
from (
    select after.company_id, after.entry_id from stage.after
    union
    select vanished.company_id, vanished.entry_id from stage.vanished where not vanished.waits
    union
    select due.company_id, due.entry_id from stage.due
    union
    select coalesce(component.label, new_id.entry_id), new_id.entry_id
    from stage.new_id
    left join stage.component on component.node = new_id.entry_id
) as written
where (select night.previous_run_id is not null and not night.is_import from stage.night);

analyze stage.written;

insert into registry.run_count (run_id, kind, other_source, subject, row_count, whole_count)
with compared as (
    -- One row per entry, field and other registry that tells it.
    select
        entry.entry_id,
        other.source,
        field.name,
        bool_or(field.value = field.other_value) as agrees
    from stage.written
    join registry.entry using (company_id, entry_id)
    join registry.entry as other
        on other.company_id = entry.company_id
        and other.source <> entry.source
        and other.status <> 'DELETED'
    cross join lateral (
        values
        ('status', entry.status, other.status),
        ('legal_form', entry.legal_form, other.legal_form),
        ('voivodeship', entry.voivodeship, other.voivodeship),
        ('postal_code', entry.postal_code, other.postal_code),
        ('city', registry.text_meaning(entry.city), registry.text_meaning(other.city)),
        (
            'name',
            registry.text_meaning(
                registry.shown_name(entry.name, entry.first_name, entry.surname)
            ),
            registry.text_meaning(registry.shown_name(other.name, other.first_name, other.surname))
        ),
        (
            'activity_main',
            entry.activity_main,
            case when other.activity_version = entry.activity_version then other.activity_main end
        )
        union all
        select registry.lower(identifier_type), own.identifier_value, others.identifier_value
        from registry.entry_numbers(entry) as own
        join registry.entry_numbers(other) as others using (identifier_type)
    ) as field (name, value, other_value)
    where field.value is not null and field.other_value is not null
    group by entry.entry_id, other.source, field.name
),

counted as (
    select 'written' as kind, null as source, null as subject, count(*) as row_count, null::bigint
    from stage.written
    union all
    select 'contradicted', source, name, count(*) filter (where not agrees), count(*)
    from compared
    group by source, name
    union all
    select 'corroborated', event.source, event_type.subject, count(*), null
    from stage.company_event
    join registry.event using (company_id, event_id)
    join registry.event_type on event_type.event_type = event.event_type
    group by event.source, event_type.subject
)

select night.run_id, counted.*
from counted
cross join stage.night
where night.previous_run_id is not null and not night.is_import;
