-- Numbers by which companies are known are data of a country: which there are, and how they look.

-- One row per type of number. `rank`: the first number of a company names it where one is shown.
-- `pattern` says how a number looks, `check_function` names a function of the schema registry that also
-- checks the digits; `form` describes both for people.
-- `stored_in`: 'nip', 'regon9' or 'krs' for these columns; 'key' where the key of an entry is the number;
-- 'unit' for the number of its first unit; 'numbers' for the column of this name.
-- `company_type`: the number names its company by a number of this type, which is its first
-- `company_length` characters. Null where it names the company itself.
-- `links`: entries that share the number are one company. The columns have rules of their own.
-- `reject_name`: what a reject calls the number; null: it is never a reason to reject a record.
-- `event_subject`: the subject of the events that tell of a new or other number; null: none do.
create table registry.identifier_type (
    identifier_type text primary key,
    country_code text not null,
    rank smallint not null,
    pattern text not null,
    form text not null,
    check_function text,
    stored_in text not null,
    company_type text,
    company_length smallint,
    links boolean not null,
    reject_name text,
    event_subject text,
    constraint identifier_type_rank_key unique (country_code, rank) deferrable,
    constraint identifier_type_stored_in_known
        check (stored_in in ('nip', 'regon9', 'krs', 'key', 'unit', 'numbers')),
    constraint identifier_type_company_whole check (num_nulls(company_type, company_length) in (0, 2)),
    constraint identifier_type_of_unit_names_company
        check (stored_in <> 'unit' or company_type is not null)
);

-- Numbers beyond the three columns, by their type; null without any. Of a company: those that name it,
-- a key included.
alter table registry.entry add column numbers jsonb;
alter table registry.company add column numbers jsonb;

-- As the first snapshot of a source makes it.
do $$
declare
    partition regclass;
begin
    for partition in
        select inhrelid from pg_inherits where inhparent = 'registry.entry'::regclass
    loop
        execute format(
            'create index on %s using gin (numbers jsonb_path_ops) where numbers is not null', partition
        );
    end loop;
end;
$$;

-- The dictionary says which types there are.
alter table registry.past_number drop constraint past_number_identifier_type_known;
alter table customer.watch drop constraint watch_identifier_type_known;
