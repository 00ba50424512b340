-- Inserts the new companies with a single entry. New companies with several entries are inserted by events.sql.

-- Drops the indexes before the very first snapshot, since one build of an index is faster than many inserts. At
-- wal_level minimal, filling a table in the transaction that truncated it writes no WAL.
do $$
declare
    is_empty constant boolean := not exists (select from registry.company);
begin
    if is_empty then
        truncate registry.company;
        alter table registry.company drop constraint company_pkey;
        drop index registry.company_changed_idx;
    end if;

    insert into registry.company
    select
        new_entry.company_id,
        (select registry.next_snapshot_no()) as changed_snapshot_no,
        null as merged_into_id,
        new_entry.start_date, new_entry.country_code, new_entry.nip, new_entry.regon9, new_entry.krs,
        case
            when new_entry.is_partial is not true
                then registry.shown_name(new_entry.name, new_entry.first_name, new_entry.surname)
        end,
        new_entry.status, new_entry.legal_form, new_entry.voivodeship, new_entry.city,
        new_entry.postal_code, new_entry.activity_main,
        registry.naming_numbers(new_entry.country_code, new_entry.entry_key, new_entry.numbers)
    from stage.new_entry
    where not exists (
        select from stage.component
        where component.node = new_entry.entry_id
    );

    if is_empty then
        alter table registry.company add constraint company_pkey primary key (company_id);
        create index company_changed_idx on registry.company (changed_snapshot_no);
    end if;
end;
$$;
