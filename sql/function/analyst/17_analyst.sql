-- Defines stable views for analysts: new columns are only added at the end. 18_analyst_daily_and_monthly.sql has counts
-- per day and month, such as `daily_stat`. dictionary/analyst_comment.csv describes the views and columns.
create or replace view analyst.run as
select
    run.run_id, run.source, run.dump_date,
    registry.state_of(run) as state,
    run.new_count, run.updated_count, run.deleted_count, run.event_count, run.rejected_count,
    run.reason, run.started_at, run.finished_at, run.message, run.is_baseline, run.entry_count,
    registry.source_country(run.source) as country_code
from registry.run;

create or replace view analyst.entry as
select
    entry.entry_id, entry.company_id, entry.source, entry.country_code, entry.nip, entry.regon9,
    entry.krs,
    registry.listed_name(entry) as name,
    entry.entity_type, entry.status, form.slug as legal_form, region.name as voivodeship,
    entry.county, entry.commune, entry.city, entry.postal_code, entry.activity_main,
    entry.activity_version,
    coalesce(recoded.section, part.section) as activity_section,
    string_to_array(entry.activity_codes, ',') as activity_codes,
    entry.start_date, entry.suspension_date, entry.resumption_date, entry.end_date,
    entry.struck_off_date, entry.gone_date, entry.bankruptcy_start_date, entry.bankruptcy_end_date,
    entry.changed_date,
    (
        select run.dump_date
        from registry.run
        where run.last_entry_id >= entry.entry_id
        order by run.last_entry_id, run.run_id
        limit 1
    ) as first_seen_date,
    (
        select max(run.dump_date)
        from registry.run
        where
            run.source = entry.source
            and run.state = 'published'
            and run.dump_date < coalesce(entry.gone_date, 'infinity')
            -- Excludes the runs before the first snapshot that contained the entry.
            and run.last_entry_id >= entry.entry_id
    ) as last_seen_date,
    registry.key_number(entry.country_code, entry.entry_key) ->> 'SIREN' as siren,
    nullif(cardinality(entry.closed_units), 0) as closed_unit_count
from registry.entry
left join registry.legal_form_symbol as form
    on (form.country_code, form.symbol) = (entry.country_code, entry.legal_form)
left join registry.region
    on (region.country_code, region.code) = (entry.country_code, entry.voivodeship)
left join registry.activity_recoded as recoded
    on (recoded.version, recoded.code) = (entry.activity_version, entry.activity_main)
left join registry.activity_division as part
    on (part.country_code, part.division) = (entry.country_code, left(entry.activity_main, 2));

-- `company_row` of 10_company.sql chooses the values of a company from its entries.
create or replace view analyst.company as
select
    company.company_id, company.country_code, company.nip, company.regon9, company.krs,
    company.name, company.status, form.slug as legal_form, region.name as voivodeship, company.city,
    company.postal_code, company.activity_main, company.activity_start,
    (
        -- A company has the id of its first entry, and the ids of entries grow from run to run. The first run whose
        -- `last_entry_id` reaches the company's id is therefore the first run that contained the company.
        select run.dump_date
        from registry.run
        where run.last_entry_id >= company.company_id
        order by run.last_entry_id, run.run_id
        limit 1
    ) as first_seen_date,
    stated.end_date, stated.suspension_date, stated.struck_off_date, stated.entry_count,
    stated.last_seen_date,
    company.numbers ->> 'SIREN' as siren
from registry.company
left join registry.legal_form_symbol as form
    on (form.country_code, form.symbol) = (company.country_code, company.legal_form)
left join registry.region
    on (region.country_code, region.code) = (company.country_code, company.voivodeship)
-- Postgres removes the join of `stated` from a query that uses none of its columns.
left join lateral (
    select
        max(entry.end_date) filter (where entry.status = company.status) as end_date,
        max(entry.suspension_date) filter (where entry.status = company.status) as suspension_date,
        max(coalesce(entry.struck_off_date, entry.gone_date))
            filter (where entry.status = company.status) as struck_off_date,
        count(*) as entry_count,
        max(entry.last_seen_date) as last_seen_date
    from analyst.entry
    where entry.company_id = company.company_id
) as stated on true
where company.merged_into_id is null;

create or replace view analyst.event as
select
    event.event_id, event.event_date, event.source, event.company_id, entry.nip, entry.regon9,
    entry.krs, event_type, event_type.severity, event_type.event_class, event_type.category,
    event.old_value, event.new_value,
    registry.key_number(entry.country_code, entry.entry_key) ->> 'SIREN' as siren,
    entry.country_code
from registry.event
join registry.entry using (company_id, entry_id)
join registry.event_type using (event_type);

create or replace view analyst.corroboration as
select
    corroboration.event_id, corroboration.event_date, corroboration.source,
    corroboration.company_id, event.event_type, corroboration.old_value, corroboration.new_value,
    event.source as event_source, event.event_date as told_date
from registry.corroboration
join registry.event using (company_id, event_id);

create or replace view analyst.reject as
select
    reject.run_id, run.source, reject.file, reject.line, reject.reason,
    -- A rejected row may contain names of persons, so that only `registry rejects` shows its text.
    null::text as raw
from registry.reject
join registry.run using (run_id);

create or replace view billing.wallet_transaction as
select
    account.user_ref, wallet_transaction.type, wallet_transaction.amount,
    wallet_transaction.balance_after, wallet_transaction.description, wallet_transaction.created_at
from customer.wallet_transaction
join customer.account using (account_id);

-- Keeps the former name of the view billing.wallet_transaction, for the owner of the database alone.
create or replace view analyst.wallet_transaction as
select wallet_transaction.*
from billing.wallet_transaction;
