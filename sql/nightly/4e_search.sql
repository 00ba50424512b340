-- The row that search shows of each company that the night touched, but those of 4e_alone.sql.

-- One row per such company: what it shows. That of one entry shows what the entry says; of several,
-- `registry.field_source` says which one tells what.
create unlogged table stage.shown_company as
with member as (
    select
        entry.company_id,
        entry.country_code,
        entry.nip,
        entry.regon9,
        entry.krs,
        coalesce(
            entry.name, nullif(concat_ws(' ', entry.first_name, entry.surname), '')
        ) as name,
        entry.status,
        entry.legal_form,
        entry.voivodeship,
        entry.city,
        entry.postal_code,
        entry.activity_main,
        entry.start_date as activity_start,
        count(*) over (partition by entry.company_id) as entry_count
    from stage.touched_company
    join registry.entry using (company_id)
    where not touched_company.is_alone
)

select
    shown.*,
    array(
        select distinct code
        from registry.entry
        cross join unnest(entry.activity_codes) as code
        where
            entry.company_id = shown.company_id
            and (entry.status <> 'DELETED' or shown.status = 'DELETED')
        order by code
    ) as activity_codes
from (
    select
        member.company_id, member.country_code, member.nip, member.regon9, member.krs,
        member.name, member.status, member.legal_form, member.voivodeship, member.city,
        member.postal_code, member.activity_main, member.activity_start
    from member
    where member.entry_count = 1
    union all
    select several.company_id, shown.*
    from (
        select distinct member.company_id from member where member.entry_count > 1
    ) as several
    cross join lateral registry.show_company(several.company_id) as shown
) as shown;

analyze stage.shown_company (company_id);

update registry.company
set
    nip = shown.nip,
    regon9 = shown.regon9,
    krs = shown.krs,
    name = shown.name,
    status = shown.status,
    legal_form = shown.legal_form,
    voivodeship = shown.voivodeship,
    city = shown.city,
    postal_code = shown.postal_code,
    activity_main = shown.activity_main,
    activity_start = shown.activity_start,
    activity_codes = shown.activity_codes,
    changed_snapshot_no = last_id.last_id + 1
from stage.shown_company as shown
join registry.last_id on last_id.table_name = 'snapshot'
where
    company.company_id = shown.company_id
    and (
        company.nip, company.regon9, company.krs, company.name, company.status,
        company.legal_form, company.voivodeship, company.city, company.postal_code,
        company.activity_main, company.activity_start, company.activity_codes
    ) is distinct from (
        shown.nip, shown.regon9, shown.krs, shown.name, shown.status, shown.legal_form,
        shown.voivodeship, shown.city, shown.postal_code, shown.activity_main,
        shown.activity_start, shown.activity_codes
    );

insert into registry.company (
    company_id, country_code, nip, regon9, krs, name, status, legal_form, voivodeship, city,
    postal_code, activity_main, activity_start, activity_codes, changed_snapshot_no
)
select
    shown.company_id, shown.country_code, shown.nip, shown.regon9, shown.krs, shown.name,
    shown.status, shown.legal_form, shown.voivodeship, shown.city, shown.postal_code,
    shown.activity_main, shown.activity_start, shown.activity_codes,
    last_id.last_id + 1
from stage.shown_company as shown
join registry.last_id on last_id.table_name = 'snapshot'
where not exists (
    select from registry.company
    where company.company_id = shown.company_id
);
