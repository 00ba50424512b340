-- Which entries and companies the night touches. Runs beside, before anything is published: what it reads
-- of the facts is yesterday's.

-- One row per entry whose end or strike-off, announced earlier, is reached: its row did not change, its
-- status does.
create unlogged table stage.due as
select
    entry.company_id,
    entry.entry_id
from registry.entry
join stage.night on night.source = entry.source
where
    least(entry.end_date, entry.struck_off_date) <= night.dump_date
    and entry.status <> 'DELETED'
    and not exists (select from stage.after where after.entry_id = entry.entry_id)
    and not exists (
        select from stage.vanished
        where vanished.entry_id = entry.entry_id and not vanished.waits
    );

analyze stage.due;

-- One row per company of which search may show something else, but new ones of one entry. is_alone: it
-- has one entry and nothing joins it, which is so of nearly all: what that entry says is shown.
create unlogged table stage.touched_company as
with touched as (
    select linked.company_id from stage.linked
    union
    select coalesce(merged_company.into_company_id, change.company_id)
    from stage.change
    join stage.before using (entry_id)
    join stage.after using (entry_id)
    left join stage.merged_company on merged_company.company_id = change.company_id
    where
        (
            before.nip, before.regon9, before.krs, before.name, before.first_name,
            before.surname, before.status, before.legal_form, before.voivodeship, before.city,
            before.postal_code, before.activity_main, before.activity_codes, before.start_date
        ) is distinct from (
            after.nip, after.regon9, after.krs, after.name, after.first_name,
            after.surname, after.status, after.legal_form, after.voivodeship, after.city,
            after.postal_code, after.activity_main, after.activity_codes, after.start_date
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
    select merged_company.into_company_id from stage.merged_company
)

select
    touched.company_id,
    not exists (select from stage.linked where linked.company_id = touched.company_id)
    and exists (select from registry.search where search.company_id = touched.company_id)
    and (
        select count(*) from registry.entry where entry.company_id = touched.company_id
    ) = 1 as is_alone
from touched;

analyze stage.touched_company;
