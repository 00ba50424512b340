-- Defines stable views of the dictionaries (new columns are only added at the end), and sets the comments of all views.

-- Lists the dictionaries of all countries for the downloads. A key column has the same name as the columns of other
-- views that refer to it.
create or replace view registry.shown_activity as
select
    activity_code.version as activity_version, activity_code.code as activity, activity_code.name,
    coalesce(activity_recoded.section, activity_division.section) as activity_section,
    activity_scheme.country_code
from registry.activity_code
join registry.activity_scheme using (version)
left join registry.activity_recoded using (version, code)
left join registry.activity_division
    on (activity_division.country_code, division) = (activity_scheme.country_code, left(code, 2));

create or replace view registry.shown_activity_section (activity_section) as
select activity_section.*
from registry.activity_section;

create or replace view registry.shown_legal_form (legal_form) as
select legal_form_symbol.*
from registry.legal_form_symbol;

create or replace view analyst.event_type as
select
    event_type.event_type, severity, severity.rank as severity_rank, event_type.event_class,
    event_type.category,
    registry.about_event(event_type.event_type, country.country_code) collate "default" as description
from registry.event_type
join registry.severity using (severity)
join registry.country on country.is_default;

create or replace view registry.shown_voivodeship (voivodeship, teryt) as
select region.*
from registry.region;

-- Lists the names of the codes of all countries, since two countries may use the same code with different meanings.
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

create or replace view registry.shown_population as
select
    region.name as voivodeship, region.code as teryt, population.population, population.year,
    population.source, population.country_code
from registry.population
join registry.region
    on (region.country_code, code) = (population.country_code, voivodeship);

-- Lists the divisions and groups of activities. Only divisions and groups of PKD 2007 have names in the dictionary.
create or replace view registry.shown_activity_group as
select
    part.version as activity_version,
    part.code as activity_group,
    case length(part.code) when 2 then 'division' else 'group' end as level,
    left(part.code, 2) as division,
    activity_group.name, activity_division.section as activity_section, activity_scheme.country_code
from (
    select activity_code.version, left(activity_code.code, digits.count) as code
    from registry.activity_code
    cross join (values (2), (3)) as digits (count)
    union
    select activity_group.version, activity_group.code
    from registry.activity_group
) as part
join registry.activity_scheme using (version)
left join registry.activity_group using (version, code)
left join registry.activity_division
    on (activity_division.country_code, division) = (activity_scheme.country_code, left(part.code, 2));

-- Creates views with the default country's rows alone, so that a join by a code finds only one row.
do $$
declare
    name text;
begin
    foreach name in array
        '{activity, activity_group, activity_section, legal_form, population, voivodeship}'::text[]
    loop
        execute format(
            'create or replace view analyst.%1$I as
            select shown_%1$s.* from registry.shown_%1$s
            join registry.country using (country_code) where country.is_default',
            name
        );
    end loop;
end;
$$;

-- Sets the comment of each view of `analyst` and of each of its columns. `npm run dictionary` makes the data dictionary
-- of sql/README.md from these comments.

-- Holds one row per view and per column; `column_name` is null in the row of a view.
create temporary table analyst_comment (
    view_name text not null,
    column_name text,
    comment text not null
) on commit drop;

\copy analyst_comment from 'analyst_comment.csv'

do $$
declare
    line record;
begin
    for line in select * from analyst_comment loop
        execute format(
            'comment on %s analyst.%I%s is %L',
            case when line.column_name is null then 'view' else 'column' end,
            line.view_name,
            '.' || quote_ident(line.column_name),
            line.comment
        );
    end loop;
end;
$$;
