-- Normalises the records of the files $1 between the lines $2 and $3, and sets the `reason` of each invalid record.
-- Large files are normalised in parallel, each in a session of its own. Numbers, dates and codes of a record that the
-- reader has marked as well-formed are not checked again: the check in SQL takes ten times as long. A change of this
-- SQL statement changes the fingerprints of all records, so that the next night reads every record. tidy.ts of
-- pipeline/sources has collapsed white space and emptied blank fields before.
insert into stage.entry (
    file_no, line, fingerprint, entry_key, nip, regon9, krs, entity_type, legal_form, name, surname,
    first_name, phone, email, fax, website, postal_code, county, commune, city, street, building,
    apartment, voivodeship, activity_version, activity_main, activity_codes, declared_status,
    is_partnership_only, start_date, end_date, suspension_date, resumption_date,
    address_country_code, struck_off_date, bankruptcy_start_date, bankruptcy_end_date, units,
    persons, other_dates, bankruptcy_state, restructuring_state, restructuring_start_date,
    restructuring_end_date, e_delivery, numbers, version_no, version_date, version_register, is_partial,
    unstated, announced_activity, closed_units, address_ids, other_names, attributes, source, file_key, country_code,
    changed_date, status, gone_date, content_hash, wrong_dates, reason
)
select
    mapped.file_no, mapped.line, mapped.fingerprint, mapped.entry_key,
    content.*,
    mapped.numbers, mapped.version_no, mapped.version_date, mapped.version_register,
    mapped.is_partial, mapped.unstated, mapped.announced_activity, mapped.closed_units,
    mapped.address_ids,
    -- The subquery is inline, since Postgres would start a function with a subquery for each record.
    case
        when mapped.other_names is not null and mapped.is_partial is not true then (
            select jsonb_agg(
                jsonb_build_object('type', kept.type, 'value', kept.value)
                order by kept.type collate "C", kept.value collate "C"
            )
            from (
                select name.type, name.value
                from (
                    select distinct stated.type, left(stated.value, registry.name_length()) as value
                    from jsonb_to_recordset(mapped.other_names) as stated (type text, value text)
                    where
                        registry.lower(stated.value) <> registry.lower(
                            registry.shown_name(mapped.name, mapped.first_name, mapped.surname)
                        )
                ) as name
                -- If an entry has too many names, about the same number of names of each type is kept.
                order by
                    row_number() over (partition by name.type order by name.value collate "C"),
                    name.type collate "C"
                limit registry.most_names()
            ) as kept
        )
    end as other_names,
    case
        when mapped.entity_type <> 'NATURAL' or mapped.is_partial is not true then mapped.attributes
    end as attributes,
    mapped.source,
    (select array_agg(file.file_key order by file.file_no) from stage.file)[mapped.file_no + 1]
        as file_key,
    mapped.country_code,
    mapped.dump_date as changed_date,
    registry.status_on(
        mapped.dump_date, mapped.declared_status, content.suspension,
        least(content.ending, content.strike_off), null
    ) as status,
    case when content.strike_off <= mapped.dump_date then content.strike_off end as gone_date,
    -- registry.content_hash computes the same hash from a row of registry.entry.
    hash_record_extended(content, coalesce(jsonb_hash_extended(mapped.numbers, 0), 0))
        as content_hash,
    case
        when
            num_nonnulls(
                mapped.start_date, mapped.end_date, mapped.suspension_date, mapped.resumption_date,
                mapped.struck_off_date, mapped.bankruptcy_start_date, mapped.bankruptcy_end_date,
                mapped.restructuring_start_date, mapped.restructuring_end_date
            )
            > num_nonnulls(
                mapped.start_day, mapped.end_day, mapped.suspension_day, mapped.resumption_day,
                mapped.struck_off_day, mapped.bankruptcy_start_day, mapped.bankruptcy_end_day,
                mapped.restructuring_start_day, mapped.restructuring_end_day
            )
            then (
                -- Lists the impossible dates with their columns, such as `start_date 0001-01-16`.
                select array_agg(concat(dated.key, ' ', dated.value) order by dated.key)
                from jsonb_each_text(to_jsonb(mapped) - '{version_date, dump_date}'::text[]) as dated
                where dated.key ~ '_date$' and registry.calendar_day(dated.value) is null and dated.value is not null
            )
    end as wrong_dates,
    case
        when mapped.wrong_number is not null then mapped.wrong_number
        when
            coalesce(mapped.name, mapped.surname, mapped.first_name) is null
            and mapped.is_partial is not true
            -- An entry needs no name in a country whose entry keys are numbers.
            and not (
                select bool_or(type.stored_in = 'key')
                from registry.identifier_type as type
                join stage.night using (country_code)
            )
            then registry.rejection('no_name', 'all names are blank')
        when mapped.entry_key is null
            then registry.rejection(
                'damaged_row', 'no number to know the entry by, and a column with its names is missing'
            )
        when mapped.declared_status is null
            then registry.rejection(
                'unknown_status', 'the status ''%s'' is not known', coalesce(mapped.status_text, '')
            )
        -- A record with an unknown classification is rejected: otherwise all its activities would seem to change.
        when mapped.activity_version is not null and mapped.version is null
            then registry.rejection(
                'unknown_activity', 'the activity version ''%s'' is not known', mapped.activity_version
            )
        when
            not mapped.is_well_formed
            and mapped.activity_codes <> ''
            and (mapped.activity_codes || ',')
            !~ (
                select format(
                    '^(%s)*$',
                    case night.dump_kind
                        when 'full' then country.activity_pattern || ','
                        -- In deltas, old entries may state shorter activity codes: of divisions, groups and classes.
                        else format('%s,|%s,', country.activity_group_pattern, country.activity_pattern)
                    end
                )
                from registry.country
                join stage.night using (country_code)
            )
            then registry.rejection(
                'unknown_activity', 'one of the activities ''%s'' is not a code', mapped.activity_codes
            )
        -- A key of more than 2000 bytes, which is always made from names, does not fit into an index.
        when octet_length(mapped.entry_key) > 2000
            then registry.rejection(
                'damaged_row', 'names of more than 2000 bytes, and no number to know the entry by'
            )
    end as reason
-- `offset 0` saves a third of the time: Postgres computes each column once, and inlines functions of plain columns.
-- Values that are equal for all records come from subqueries, since a join would copy all columns.
from (
    select
        mapped.*,
        registry.day_of(mapped.start_date, mapped.is_well_formed) as start_day,
        registry.day_of(mapped.end_date, mapped.is_well_formed) as end_day,
        registry.day_of(mapped.suspension_date, mapped.is_well_formed) as suspension_day,
        registry.day_of(mapped.resumption_date, mapped.is_well_formed) as resumption_day,
        registry.calendar_day(mapped.struck_off_date) as struck_off_day,
        registry.calendar_day(mapped.bankruptcy_start_date) as bankruptcy_start_day,
        registry.calendar_day(mapped.bankruptcy_end_date) as bankruptcy_end_day,
        registry.calendar_day(mapped.restructuring_start_date) as restructuring_start_day,
        registry.calendar_day(mapped.restructuring_end_date) as restructuring_end_day,
        registry.postal_code(
            coalesce(mapped.address_country_code, mapped.country_code), mapped.postal_code
        ) as post_code,
        registry.contact('phone', mapped.phone) as stated_phone,
        registry.contact('e-mail', mapped.email) as stated_email,
        registry.contact('fax', mapped.fax) as stated_fax,
        registry.contact('website', mapped.website) as stated_website,
        case
            when
                mapped.activity_version = any(
                    (
                        select array_agg(scheme.version::text)
                        from registry.activity_scheme as scheme
                        join stage.night using (country_code)
                    )::text[]
                )
                then mapped.activity_version::smallint
        end as version,
        case
            when
                not mapped.is_well_formed
                or mapped.krs is not null
                -- The reader of the dump does not check numbers in the fields `entry_key`, `units` and `numbers`.
                or (
                    select bool_or(type.reject_name is not null)
                    from registry.identifier_type as type
                    join stage.night using (country_code)
                    where type.stored_in in ('key', 'unit', 'numbers')
                )
                then (
                    select registry.rejection(
                        type.reject_code,
                        'the %s ''%s'' is not valid', type.reject_name, number.identifier_value
                    )
                    from registry.list_numbers(
                        mapped.country_code, mapped.nip, mapped.regon9, mapped.krs, mapped.numbers,
                        mapped.entry_key, mapped.units
                    ) as number
                    join registry.identifier_type as type using (identifier_type)
                    where
                        type.reject_name is not null
                        and not registry.is_number(number.identifier_type, number.identifier_value)
                    order by number.rank
                    limit 1
                )
        end as wrong_number
    from (
        select mapped.*, night.source, night.country_code, night.dump_date
        from stage.mapped
        cross join stage.night
        where mapped.file_no = any($1) and mapped.line between $2 and $3
        offset 0
    ) as mapped
    offset 0
) as mapped
-- If a record states an impossible date, the entry keeps yesterday's date: the known entry is looked up only then.
cross join lateral (
    select (
        select entry
        from registry.entry
        where entry.source = mapped.source and entry.entry_key = mapped.entry_key
    ) as entry
) as known
-- Lists the fields from which `content_hash` is computed.
cross join lateral (
    select
        mapped.nip, mapped.regon9, mapped.krs, mapped.entity_type, mapped.legal_form, mapped.name,
        mapped.surname, mapped.first_name, mapped.stated_phone, mapped.stated_email,
        mapped.stated_fax, mapped.stated_website, mapped.post_code, mapped.county, mapped.commune,
        mapped.city, mapped.street, mapped.building, mapped.apartment, mapped.voivodeship,
        mapped.version, mapped.activity_main, mapped.activity_codes, mapped.declared_status,
        mapped.is_partnership_only,
        registry.day_or_known(
            mapped.start_day, mapped.start_date, (known.entry).start_date
        ),
        registry.day_or_known(mapped.end_day, mapped.end_date, (known.entry).end_date) as ending,
        registry.day_or_known(
            mapped.suspension_day, mapped.suspension_date, (known.entry).suspension_date
        ) as suspension,
        registry.day_or_known(
            mapped.resumption_day, mapped.resumption_date, (known.entry).resumption_date
        ),
        mapped.address_country_code,
        registry.day_or_known(
            mapped.struck_off_day, mapped.struck_off_date, (known.entry).struck_off_date
        ) as strike_off,
        registry.day_or_known(
            mapped.bankruptcy_start_day, mapped.bankruptcy_start_date, (known.entry).bankruptcy_start_date
        ),
        registry.day_or_known(
            mapped.bankruptcy_end_day, mapped.bankruptcy_end_date, (known.entry).bankruptcy_end_date
        ),
        mapped.units, mapped.persons, mapped.other_dates, mapped.bankruptcy_state,
        mapped.restructuring_state,
        registry.day_or_known(
            mapped.restructuring_start_day, mapped.restructuring_start_date, (known.entry).restructuring_start_date
        ),
        registry.day_or_known(
            mapped.restructuring_end_day, mapped.restructuring_end_date, (known.entry).restructuring_end_date
        ),
        mapped.e_delivery
) as content;
