-- Copies the companies with ids from $2 to below $3 that changed after snapshot $1, for the search index. There is one
-- row per company and entry, ordered by company. A company that is merged into another company has no status. KRS has
-- partial activity codes, some of them with a dot.
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
        nullif(replace(entry.activity_codes, '.', ''), '')
    from registry.company
    left join registry.entry
        on entry.company_id = company.company_id
        and (entry.status <> 'DELETED' or company.status = 'DELETED')
    where
        company.changed_snapshot_no
        >= (select min(change_no) from registry.publication where snapshot_no > $1)
        and company.company_id >= $2
        and company.company_id < $3
    order by company.company_id
) to stdout
