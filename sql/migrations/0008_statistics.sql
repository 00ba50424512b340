-- One row per source, snapshot day and group of entries whose stock or flow changed. `entry_change` is the number of
-- entries in the group less their number in the snapshot before. A running sum over the days is the stock.
-- `voivodeship` and `legal_form` are symbols, `activity_section` is the section of the main activity. `new_count`,
-- `suspended_count` and `resumed_count` are in the group of the new state of an entry, `ended_count` in the group of
-- its former state. `returned_count`: the new entries that were in the registry before; the other new entries are
-- births. A baseline has no flow. The day 'infinity' holds the entries that were imported on demand since the last
-- dump, until the next dump.
create table registry.stock_change (
    source text not null,
    stat_date date not null,
    voivodeship text,
    activity_section text,
    legal_form text,
    status text not null,
    entry_change bigint not null,
    new_count bigint not null,
    ended_count bigint not null,
    suspended_count bigint not null,
    resumed_count bigint not null,
    returned_count bigint not null default 0,
    constraint stock_change_key unique nulls not distinct
    (source, stat_date, voivodeship, activity_section, legal_form, status),
    constraint stock_change_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED')),
    constraint stock_change_not_negative
        check (least(new_count, ended_count, suspended_count, resumed_count) >= 0),
    constraint stock_change_returned_are_new check (returned_count between 0 and new_count)
);

-- One row per source, snapshot day and pair of groups, with the number of existing entries that moved from one group to
-- the other. `status` is the status before the move. `is_recoded`: only the section changed, since a code of 2007
-- became one of its codes of 2025. The columns of a group and the day 'infinity' are as in registry.stock_change. A day
-- may have several rows for one pair of groups.
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
