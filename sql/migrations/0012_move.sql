-- Whether the run counts the entries that return and those that move to another group. Older versions
-- did not.
alter table registry.run add column counts_moves boolean not null default false;
alter table registry.run alter column counts_moves set default true;

-- How many of the new entries return: the registry had them before, and they did not stand. The others are
-- births.
alter table registry.stock_change
add column returned_count bigint not null default 0,
add constraint stock_change_returned_are_new check (returned_count between 0 and new_count);

-- One row per code of 2007 whose codes of 2025 all lie in one section other than that of its division:
-- that section. An entry that is recoded stays in its section.
create table registry.activity_recoded (
    code text primary key,
    section text not null references registry.activity_section
);

-- One row per source, snapshot day and way on which standing entries moved from one group to another: how
-- many did. `status` is the one before. `is_recoded`: the section alone changed, since the code of 2007
-- became one of its codes of 2025, or since a dictionary places the code elsewhere. The columns of a group
-- and the day 'infinity' are those of registry.stock_change. Rows are only added: a day may have several
-- rows for one way.
create table registry.stock_move (
    source text not null,
    stat_date date not null,
    status text not null,
    is_recoded boolean not null,
    from_voivodeship text,
    from_activity_section text,
    from_legal_form text,
    to_voivodeship text,
    to_activity_section text,
    to_legal_form text,
    entry_count bigint not null,
    constraint stock_move_status_stands check (status in ('ACTIVE', 'SUSPENDED')),
    constraint stock_move_count_positive check (entry_count > 0)
);

create index stock_move_idx on registry.stock_move (source, stat_date);
