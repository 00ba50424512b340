-- The row that search shows of each company that the night touched.

-- One row per company of which search may show something else, but new ones of one entry.
create unlogged table stage.touched_company as
select linked.company_id from stage.linked
union
select coalesce(merged_company.into_company_id, change.company_id)
from stage.change
join stage.before using (entry_id)
join stage.after using (entry_id)
left join stage.merged_company on merged_company.company_id = change.company_id
where
    (
        before.nip, before.regon9, before.krs, before.name, before.first_name, before.surname,
        before.status, before.legal_form, before.voivodeship, before.city, before.postal_code,
        before.activity_main, before.activity_codes, before.start_date
    ) is distinct from (
        after.nip, after.regon9, after.krs, after.name, after.first_name, after.surname,
        after.status, after.legal_form, after.voivodeship, after.city, after.postal_code,
        after.activity_main, after.activity_codes, after.start_date
    )
union
select coalesce(merged_company.into_company_id, vanished.company_id)
from stage.vanished
left join stage.merged_company using (company_id)
where not vanished.waits
union
select coalesce(merged_company.into_company_id, due.company_id)
from stage.due
left join stage.merged_company using (company_id)
union
select merged_company.into_company_id from stage.merged_company;

analyze stage.touched_company;

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
)

select
    member.company_id, member.country_code, member.nip, member.regon9, member.krs, member.name,
    member.status, member.legal_form, member.voivodeship, member.city, member.postal_code,
    member.activity_main, member.activity_start
from member
where member.entry_count = 1
union all
select several.company_id, shown.*
from (
    select distinct member.company_id from member where member.entry_count > 1
) as several
cross join lateral registry.show_company(several.company_id) as shown;

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
    activity_start = shown.activity_start
from stage.shown_company as shown
where
    company.company_id = shown.company_id
    and (
        company.nip, company.regon9, company.krs, company.name, company.status,
        company.legal_form, company.voivodeship, company.city, company.postal_code,
        company.activity_main, company.activity_start
    ) is distinct from (
        shown.nip, shown.regon9, shown.krs, shown.name, shown.status, shown.legal_form,
        shown.voivodeship, shown.city, shown.postal_code, shown.activity_main,
        shown.activity_start
    );

insert into registry.company (
    company_id, country_code, nip, regon9, krs, name, status, legal_form, voivodeship, city,
    postal_code, activity_main, activity_start
)
select
    shown.company_id, shown.country_code, shown.nip, shown.regon9, shown.krs, shown.name,
    shown.status, shown.legal_form, shown.voivodeship, shown.city, shown.postal_code,
    shown.activity_main, shown.activity_start
from stage.shown_company as shown
where not exists (
    select from registry.company
    where company.company_id = shown.company_id
);
