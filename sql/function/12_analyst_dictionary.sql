-- The dictionaries of all countries, as downloads have them, and those of the default country, so that a
-- query that joins by a code alone stays right. Key columns are named as in the views that join to them.
create or replace view registry.shown_activity as
select
    activity_code.version as activity_version,
    activity_code.code as activity,
    activity_code.name,
    coalesce(activity_recoded.section, activity_division.section) as activity_section,
    activity_scheme.country_code
from registry.activity_code
join registry.activity_scheme using (version)
left join registry.activity_recoded using (version, code)
left join registry.activity_division
    on activity_division.country_code = activity_scheme.country_code
    and activity_division.division = left(activity_code.code, 2);

create or replace view analyst.activity as
select shown_activity.*
from registry.shown_activity
join registry.country using (country_code)
where country.is_default;

create or replace view registry.shown_activity_section as
select
    activity_section.section as activity_section,
    activity_section.name,
    activity_section.first_division,
    activity_section.last_division,
    activity_section.name_en,
    activity_section.country_code
from registry.activity_section;

create or replace view analyst.activity_section as
select shown_activity_section.*
from registry.shown_activity_section
join registry.country using (country_code)
where country.is_default;

create or replace view registry.shown_legal_form as
select
    legal_form_symbol.slug as legal_form,
    legal_form_symbol.label,
    legal_form_symbol.symbol,
    legal_form_symbol.label_en,
    legal_form_symbol.country_code
from registry.legal_form_symbol;

create or replace view analyst.legal_form as
select shown_legal_form.*
from registry.shown_legal_form
join registry.country using (country_code)
where country.is_default;

create or replace view analyst.event_type as
select
    event_type.event_type,
    event_type.severity,
    severity.rank as severity_rank,
    event_type.event_class,
    event_type.category,
    event_type.description
from registry.event_type
join registry.severity on severity.severity = event_type.severity;

create or replace view registry.shown_voivodeship as
select
    region.name as voivodeship,
    region.code as teryt,
    region.slug,
    region.country_code
from registry.region;

create or replace view analyst.voivodeship as
select shown_voivodeship.*
from registry.shown_voivodeship
join registry.country using (country_code)
where country.is_default;

-- The names of all countries. A section or a region of one country may have the code of another's.
create or replace view analyst.country_name as
select
    region.country_code,
    'voivodeship' as dictionary,
    null::smallint as activity_version,
    region.code,
    region.name,
    null as name_en
from registry.region
union all
select country_code, 'legal_form', null, slug, label, label_en
from registry.legal_form_symbol
union all
select country_code, 'activity_section', null, section, name, name_en
from registry.activity_section
union all
select activity_scheme.country_code, activity_scheme.scheme, version, activity_code.code, activity_code.name, null
from registry.activity_code
join registry.activity_scheme using (version);
