-- Loads the dictionaries: the files of sql/dictionary hold for all countries, the files of sql/country for one country
-- each. Files of one name in several countries form one dictionary. This file runs again when a dictionary changes, so
-- that a correction reaches every database. The file 06_country.sql loads the countries, 09_company.sql the ranks of
-- their sources.

-- Inserts the rows of `source` into `target`, and updates rows that differ, by the primary key. `source` has the
-- columns of `target`. Returns the count of written rows.
create or replace function registry.upsert_rows(target regclass, source regclass) returns bigint
language plpgsql as $$
declare
    column_list text;
    key_list text;
    row_count bigint;
begin
    select
        string_agg(quote_ident(attname), ', ' order by attnum),
        string_agg(quote_ident(attname), ', ') filter (where attnum = any(indkey))
    into column_list, key_list
    from pg_attribute
    join pg_index on indrelid = attrelid and indisprimary
    where attrelid = target and attnum > 0 and not attisdropped;
    execute format(
        'insert into %1$s as known (%3$s) select %3$s from %2$s
        on conflict (%4$s) do update set (%3$s) = row(excluded.*) where known is distinct from excluded',
        target, source, column_list, key_list
    );
    get diagnostics row_count = row_count;
    return row_count;
end;
$$;

-- Replaces the rows of a dictionary by the rows of the temporary table `loaded`, and drops that table. An old row
-- stays where a row of another table refers to it. Returns the count of inserted or updated rows.
create or replace function registry.load_dictionary(dictionary regclass) returns bigint
language plpgsql as $$
declare
    row_count constant bigint := registry.upsert_rows(dictionary, 'pg_temp.loaded');
    place tid;
begin
    for place in execute format(
        'select ctid from %1$s as known
        where known not in (select loaded from pg_temp.loaded)',
        dictionary
    ) loop
        begin
            execute format('delete from %s where ctid = $1', dictionary) using place;
        exception
            when foreign_key_violation then null;
        end;
    end loop;
    drop table pg_temp.loaded;
    return row_count;
end;
$$;

-- Creates the temporary table `loaded` for the rows of a dictionary. Rows of a country's file get the code of the
-- country.
create or replace function registry.start_loading(dictionary regclass) returns void
language plpgsql as $$
begin
    execute format('create temporary table loaded (like %s)', dictionary);
    if exists (
        select from pg_attribute where attrelid = dictionary and attname = 'country_code'
    ) then
        alter table pg_temp.loaded
        alter column country_code set default current_setting('registry.country');
    end if;
end;
$$;

\load registry.activity_scheme from 'country/*/activity_scheme.csv'
\load registry.activity_code from 'country/*/activity_code.csv'
\load registry.activity_group from 'country/*/activity_group.csv'

select registry.start_loading('registry.activity_recoding');
\copy loaded from 'country/*/activity_recoding.csv'
-- A recoding key may list only changed codes: a code that the key does not name stays the same.
insert into loaded (from_version, from_code, to_version, to_code)
select
    former.version,
    former.code,
    latter.version,
    latter.code
from (select distinct loaded.from_version, loaded.to_version from loaded) as key
join registry.activity_code as former on former.version = key.from_version
join registry.activity_code as latter on latter.version = key.to_version and latter.code = former.code
where (key.from_version, former.code, key.to_version) not in (
    select loaded.from_version, loaded.from_code, loaded.to_version from loaded
);
select registry.load_dictionary('registry.activity_recoding');

\load registry.activity_section from 'country/*/activity_section.csv'

select registry.start_loading('registry.activity_division');
insert into loaded (country_code, division, section)
select distinct
    activity_scheme.country_code,
    left(activity_code.code, 2),
    activity_section.section
from registry.activity_code
join registry.activity_scheme using (version)
join registry.activity_section
    on activity_section.country_code = activity_scheme.country_code
    and left(activity_code.code, 2)
    between activity_section.first_division and activity_section.last_division;
select registry.load_dictionary('registry.activity_division');

select registry.start_loading('registry.activity_recoded');
insert into loaded (version, code, section)
select
    activity_recoding.from_version,
    activity_recoding.from_code,
    min(successor.section)
from registry.activity_recoding
join registry.activity_scheme on activity_scheme.version = activity_recoding.from_version
join registry.activity_division as successor
    on successor.country_code = activity_scheme.country_code
    and successor.division = left(activity_recoding.to_code, 2)
join registry.activity_division as own
    on own.country_code = activity_scheme.country_code
    and own.division = left(activity_recoding.from_code, 2)
group by activity_recoding.from_version, activity_recoding.from_code
having min(successor.section) = max(successor.section) and min(successor.section) <> min(own.section);

-- Moves the stock of each code whose section changes to the new section, in the newest snapshot.
with replaced as (
    select
        version,
        code,
        coalesce(known.section, activity_division.section) as from_section,
        coalesce(loaded.section, activity_division.section) as to_section
    from registry.activity_recoded as known
    full join loaded using (version, code)
    join registry.activity_scheme using (version)
    join registry.activity_division
        on activity_division.country_code = activity_scheme.country_code
        and activity_division.division = left(code, 2)
    where known.section is distinct from loaded.section
),

moved as (
    select
        entry.source,
        newest.stat_date,
        entry.voivodeship,
        entry.legal_form,
        entry.status,
        replaced.from_section,
        replaced.to_section,
        count(*) as entry_count
    from registry.entry
    join replaced
        on replaced.version = entry.activity_version
        and replaced.code = entry.activity_main
    join (
        select run.source, max(run.dump_date) as stat_date
        from registry.run
        where run.state = 'published'
        group by run.source
    ) as newest on newest.source = entry.source
    where entry.gone_date is null
    group by 1, 2, 3, 4, 5, 6, 7
),

standing as (
    insert into registry.stock_move (
        source, stat_date, status, is_recoded, from_voivodeship, from_activity_section, from_legal_form,
        to_voivodeship, to_activity_section, to_legal_form, entry_count
    )
    select
        moved.source, moved.stat_date, moved.status, true, moved.voivodeship, moved.from_section,
        moved.legal_form, moved.voivodeship, moved.to_section, moved.legal_form, moved.entry_count
    from moved
    where moved.status <> 'DELETED'
)

insert into registry.stock_change as known (
    source, stat_date, voivodeship, activity_section, legal_form, status, entry_change, new_count,
    ended_count, suspended_count, resumed_count
)
select
    moved.source, moved.stat_date, moved.voivodeship, side.section, moved.legal_form, moved.status,
    sum(side.entry_change), 0, 0, 0, 0
from moved
cross join lateral (
    values (moved.from_section, -moved.entry_count), (moved.to_section, moved.entry_count)
) as side (section, entry_change)
group by 1, 2, 3, 4, 5, 6
on conflict on constraint stock_change_key do update
set entry_change = known.entry_change + excluded.entry_change;
select registry.load_dictionary('registry.activity_recoded');

\load registry.legal_form from 'country/*/legal_form.csv'
\load registry.region from 'country/*/region.csv'
\load registry.population from 'country/*/population.csv'
\load registry.reject_code from 'reject_code.csv'
\load registry.severity from 'severity.csv'
\load registry.event_type from 'event_type.csv'

-- Loads the price list. A package that the list lacks is not offered, but stays where payments refer to it.
create temporary table loaded (like customer.credit_package including defaults);
\copy loaded from 'credit_package.csv'
update customer.credit_package
set is_offered = package_slug in (select loaded.package_slug from loaded);
select registry.load_dictionary('customer.credit_package');
