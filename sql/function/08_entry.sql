-- Returns an address on one line, such as 'Polna 3/4, 00-001 Warszawa, mazowieckie'.
create or replace function registry.address_line(
    street text,
    building text,
    apartment text,
    postal_code text,
    city text,
    voivodeship text
) returns text
language sql immutable parallel safe
return nullif(
    concat_ws(
        ', ',
        nullif(concat_ws(' ', street, nullif(concat_ws('/', building, apartment), '')), ''),
        nullif(concat_ws(' ', postal_code, city), ''),
        voivodeship
    ),
    ''
);

-- Returns the date of a record; where the record states an impossible date, returns the date known so far.
create or replace function registry.day_or_known(day date, written text, known date) returns date
language sql immutable parallel safe
return coalesce(day, case when written is not null then known end);

-- Returns the name of a region by its code.
create or replace function registry.region_name(country_code text, code text) returns text
language sql stable parallel safe
return (
    select region.name
    from registry.region
    where region.country_code = region_name.country_code and region.code = region_name.code
);

-- Returns the code of a region by its name.
create or replace function registry.region_code(country_code text, name text) returns text
language sql stable parallel safe
return (
    select region.code
    from registry.region
    where region.country_code = region_code.country_code and region.name = region_code.name
);

-- Returns the address of an entry on one line.
create or replace function registry.entry_address(entry registry.entry) returns text
language sql stable parallel safe
return registry.address_line(
    entry.street, entry.building, entry.apartment, entry.postal_code, entry.city,
    registry.region_name(entry.country_code, entry.voivodeship)
);

-- Returns the status of an entry on a day: DELETED once its end is reached, else the status that the registry declares.
-- A suspension counts from its own date on: before that date, the entry is ACTIVE.
create or replace function registry.status_on(
    dump_date date,
    declared_status text,
    suspension_date date,
    end_date date,
    gone_date date
) returns text
language sql immutable parallel safe
return case
    when gone_date is not null or end_date <= dump_date then 'DELETED'
    when declared_status = 'SUSPENDED' and suspension_date > dump_date then 'ACTIVE'
    else declared_status
end;

-- Returns the 64-bit hash of a published entry; the state hash of a snapshot is the sum of the hashes of its entries.
create or replace function registry.state_hash(content_hash bigint, gone_date date) returns bigint
language sql immutable parallel safe
return case
    when gone_date is null then content_hash
    else content_hash # hashint8extended(gone_date - date '2000-01-01', 0)
end;

-- Returns the 64-bit hash of the content of a record; sql/nightly/1_read/normalise.sql computes the same hash.
create or replace function registry.content_hash(entry registry.entry) returns bigint
language sql immutable parallel safe
return hash_record_extended(
    row(
        entry.nip, entry.regon9, entry.krs, entry.entity_type, entry.legal_form,
        entry.name, entry.surname, entry.first_name, entry.phone, entry.email,
        entry.fax, entry.website, entry.postal_code, entry.county, entry.commune,
        entry.city, entry.street, entry.building, entry.apartment, entry.voivodeship,
        entry.activity_version, entry.activity_main, entry.activity_codes,
        entry.declared_status, entry.is_partnership_only, entry.start_date,
        entry.end_date, entry.suspension_date, entry.resumption_date,
        entry.address_country_code, entry.struck_off_date, entry.bankruptcy_start_date,
        entry.bankruptcy_end_date, entry.units, entry.persons, entry.other_dates,
        entry.bankruptcy_state, entry.restructuring_state,
        entry.restructuring_start_date, entry.restructuring_end_date, entry.e_delivery
    ),
    coalesce(jsonb_hash_extended(entry.numbers, 0), 0)
);

-- Returns a unit (establishment) on one line: its number, its name and its address.
create or replace function registry.unit_line(unit jsonb) returns text
language sql immutable parallel safe
return nullif(
    concat_ws(
        ', ',
        nullif(concat_ws(' ', unit ->> 'identifier', unit ->> 'name'), ''),
        registry.address_line(
            unit #>> '{address,street}', unit #>> '{address,building}', unit #>> '{address,apartment}',
            unit #>> '{address,postal_code}', unit #>> '{address,city}', unit #>> '{address,voivodeship}'
        )
    ),
    ''
);

-- Returns the parts of an entry that API responses show besides the columns of the entry. `provenance` is the place in
-- a dump where the present content of the entry was first read. `persons` also lists an entrepreneur whose full name is
-- stored only as the entry's name, if the country defines the word `entrepreneur`. `units` also has the start date of a
-- head office, which only the column `start_date` stores. `show_parts` returns a set of one row, so that Postgres
-- inlines it. A scalar function with subqueries would be started for each entry, which takes four times as long.
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
