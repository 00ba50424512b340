-- New companies of one entry, which is nearly all of them. Runs in the transaction that publishes.

-- The very first snapshot fills an empty table: its index is made afterwards, which is several times
-- faster; and what is written to a table that was truncated in the same transaction needs no WAL
-- where the server keeps a minimal one.
do $$
begin
    if not exists (select from registry.company) then
        truncate registry.company;
        alter table registry.company drop constraint company_pkey;
    end if;
end;
$$;

insert into registry.company (
    company_id, country_code, nip, regon9, krs, name, status, legal_form, voivodeship, city,
    postal_code, activity_main, activity_start, activity_codes, changed_snapshot_no
)
select
    new_entry.company_id, (select night.country_code from stage.night), new_entry.nip,
    new_entry.regon9, new_entry.krs,
    coalesce(
        new_entry.name, nullif(concat_ws(' ', new_entry.first_name, new_entry.surname), '')
    ),
    new_entry.status, new_entry.legal_form, new_entry.voivodeship, new_entry.city,
    new_entry.postal_code, new_entry.activity_main, new_entry.start_date,
    new_entry.activity_codes,
    (select last_id.last_id + 1 from registry.last_id where last_id.table_name = 'snapshot')
from stage.new_entry
where not new_entry.is_linked;

do $$
begin
    if not exists (select from pg_constraint where conname = 'company_pkey') then
        alter table registry.company add constraint company_pkey primary key (company_id);
    end if;
end;
$$;
