-- One row per run and kind of reason of its rejected rows (registry.reject_kind).
create table registry.reject_count (
    run_id bigint not null references registry.run on delete cascade,
    reject_kind text not null,
    row_count bigint not null,
    constraint reject_count_pkey primary key (run_id, reject_kind)
);

-- Finds the attempts of a day without those on demand, which may be many.
create index run_dump_date_idx on registry.run (dump_date, source)
where state in ('published', 'refused');
