-- Copies the companies that changed after the snapshot $1 and whose ids are at least $2 and below $3, for the search
-- index. The copy has one row per entry, ordered by company. The row of a company that was merged into another company
-- has no status. Two blanks separate an entry's other names. Activity codes have no dots.
copy (
    select
        company.company_id,
        company.country_code,
        case when company.merged_into_id is null then company.status end,
        company.voivodeship,
        company.legal_form,
        registry.fold(company.city),
        translate(company.postal_code, ' -', ''),
        company.activity_start,
        registry.fold(company.name),
        nullif(replace(entry.activity_codes, '.', ''), ''),
        (
            select string_agg(registry.fold(name.value), '  ')
            from jsonb_to_recordset(registry.shown_other_names(entry)) as name (value text)
        ),
        band.least_employees
    from registry.company
    left join registry.entry
        on entry.company_id = company.company_id
        and (entry.status <> 'DELETED' or company.status = 'DELETED')
    left join registry.attribute_type as workforce
        on workforce.country_code = entry.country_code
        and workforce.attribute_type = 'workforce_band'
        and entry.attributes is not null
    -- The value of `workforce_band` is a code and the year of its statistic, such as `12 2023`.
    left join registry.attribute_value as band
        on band.country_code = workforce.country_code
        and band.attribute_type = workforce.attribute_type
        and band.code
        = split_part(coalesce(entry.attributes ->> 'workforce_band', workforce.usual_value), ' ', 1)
    where
        company.changed_snapshot_no
        >= (select min(change_no) from registry.publication where snapshot_no > $1)
        and company.company_id >= $2
        and company.company_id < $3
    order by company.company_id
) to stdout
