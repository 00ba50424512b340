-- Stable views for analysts; documented in the README. Columns are only ever added, at the end.
create view analyst.run as
select
    run.run_id,
    run.source,
    run.dump_date,
    run.state,
    run.new_count,
    run.updated_count,
    run.deleted_count,
    run.event_count,
    run.rejected_count,
    run.reason,
    run.started_at,
    run.finished_at
from registry.run;

create view analyst.company as
select
    company.company_id,
    company.country_code,
    company.nip,
    company.regon9,
    company.krs,
    company.name,
    company.status,
    company.legal_form,
    company.voivodeship,
    company.city,
    company.postal_code,
    company.activity_main,
    company.activity_start
from registry.company
where company.merged_into_id is null;

create view analyst.event as
select
    event.event_id,
    event.event_date,
    event.source,
    event.company_id,
    entry.nip,
    entry.regon9,
    entry.krs,
    event.event_type,
    event_type.severity,
    event_type.event_class,
    event_type.category,
    event.old_value,
    event.new_value
from registry.event
join registry.entry using (company_id, entry_id)
join registry.event_type on event_type.event_type = event.event_type;

create view analyst.reject as
select
    reject.run_id,
    run.source,
    reject.file,
    reject.line,
    reject.reason,
    reject.raw
from registry.reject
join registry.run using (run_id);

create view analyst.daily_stat as
select
    daily_stat.source,
    daily_stat.stat_date as date,
    daily_stat.new_count as new,
    daily_stat.updated_count as updated,
    daily_stat.deleted_count as deleted,
    daily_stat.new_count + daily_stat.updated_count + daily_stat.deleted_count as total
from registry.daily_stat;
