-- Returns the parts of an entry that API responses show besides the columns of the entry (21_hidden_entry.sql defines
-- which fields are hidden). `provenance` is the place in a dump where the present content of the entry was first read.
-- `persons` also lists an entrepreneur whose full name is stored only as the entry's name, if the country defines the
-- word `entrepreneur`. `units` also has the start date of a head office, which only the column `start_date` stores.
-- `show_parts` returns a set of one row, so that Postgres inlines it. A scalar function with subqueries would start
-- for each entry, which takes four times as long.
create or replace function registry.show_parts(entry registry.entry)
returns table (closed_unit_count integer, provenance jsonb, persons jsonb, units jsonb)
language sql stable parallel safe rows 1
begin atomic
    select
        cardinality(entry.closed_units),
        (
            select jsonb_build_object(
                'dump_date', run.dump_date,
                'file', run_file.file,
                'sha256', run_file.sha256,
                'line', case when run_file.file is not null then entry.said_line end,
                'said_since', entry.changed_date
            )
            from (select entry.said_run_id::bigint as run_id, entry.said_file_no as file_no) as said
            left join registry.run using (run_id)
            -- Shows no file for an import on demand, since the registry did not publish a file for it.
            left join registry.run_file
                on run_file.run_id = run.run_id
                and run_file.file_no = said.file_no
                and run.state = 'published'
        ),
        coalesce(
            entry.persons,
            (
                select jsonb_build_array(jsonb_build_object('full_name', entry.name, 'role', word.text))
                from registry.country_word as word
                where
                    word.country_code = entry.country_code
                    and word.word = 'entrepreneur'
                    and entry.entity_type = 'NATURAL'
                    and num_nonnulls(entry.surname, entry.first_name) = 0
                    and entry.name is not null
            )
        ),
        case
            when entry.units is null or entry.units #> '{0,dates}' is not null then entry.units
            else (
                select jsonb_set(
                    entry.units, '{0,dates}',
                    jsonb_build_array(
                        jsonb_build_object('type', word.text, 'date', entry.start_date)
                    )
                )
                from registry.country
                join registry.country_word as word using (country_code, language)
                where country.country_code = entry.country_code and word.word = 'start_date'
            )
        end;
end;
