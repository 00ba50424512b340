-- Loads the dictionaries. A file of sql/dictionary is valid for all countries, a file of sql/country for one country.
-- Files with the same name in the folders of several countries form one dictionary. If an activity code gets a new
-- section or a source a new rank, a migration must correct the stored stock or companies.

-- Replaces the rows of a dictionary by the rows of the temporary table `loaded`, and drops `loaded`. A changed row is
-- updated by its key instead of deleted, since rows of other tables may refer to the row. A row that `loaded` lacks
-- stays while a row of another table refers to it.
create or replace function registry.load_dictionary(dictionary regclass) returns void
language plpgsql as $$
declare
    column_list text;
    key_list text;
    place tid;
begin
    select
        string_agg(quote_ident(attname), ', ' order by attnum),
        string_agg(quote_ident(attname), ', ') filter (where attnum = any(indkey))
    into column_list, key_list
    from pg_attribute
    join pg_index on indrelid = attrelid and indisprimary
    where attrelid = dictionary and attnum > 0 and not attisdropped;
    execute format(
        'insert into %1$s as known (%2$s) select %2$s from pg_temp.loaded
        on conflict (%3$s) do update set (%2$s) = row(excluded.*) where known is distinct from excluded',
        dictionary, column_list, key_list
    );
    for place in execute format(
        'select ctid from %s as known where known not in (select loaded from pg_temp.loaded)', dictionary
    ) loop
        begin
            execute format('delete from %s where ctid = $1', dictionary) using place;
        exception
            when foreign_key_violation then null;
        end;
    end loop;
    drop table pg_temp.loaded;
end;
$$;

-- Creates the temporary table `loaded` for the rows of a dictionary. Rows of a country's file get the country's code.
create or replace function registry.start_loading(dictionary regclass) returns void
language plpgsql as $$
begin
    execute format('create temporary table loaded (like %s including defaults)', dictionary);
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
-- A recoding key, which maps old activity codes to new codes, may omit unchanged codes: an omitted code maps to itself.
insert into loaded (from_version, from_code, to_version, to_code)
select
    former.version, former.code, latter.version, latter.code
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
select registry.load_dictionary('registry.activity_recoded');

\load registry.legal_form from 'country/*/legal_form.csv'
\load registry.region from 'country/*/region.csv'
\load registry.attribute_type from 'country/*/attribute_type.csv'
\load registry.attribute_value from 'country/*/attribute_value.csv'
\load registry.population from 'country/*/population.csv'
\load registry.entry_column from 'entry_column.csv'
\load registry.reject_code from 'reject_code.csv'
\load registry.severity from 'severity_rank.csv'
\load registry.event_type from 'event_type.csv'

-- Loads the credit packages. A bought package keeps its row, but is only offered if credit_package.csv lists it.
update customer.credit_package set is_offered = false;
\load customer.credit_package from 'credit_package.csv'
