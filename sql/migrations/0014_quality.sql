-- One row per source, day and field: how many entries of the registry have it. The day of a snapshot holds
-- what that snapshot had; the day 'infinity' what the registry has now.
create table registry.fill (
    source text not null,
    stat_date date not null,
    field text not null,
    filled_count bigint not null,
    constraint fill_pkey primary key (source, stat_date, field)
);

-- One row per run and thing that it counted; bounded by the kinds of things, not by the registry.
-- 'rejected': rows, by the kind of their reason (registry.reject_kind).
-- 'written': entries that the run compared with other registries; a first snapshot compares none.
-- 'contradicted': of these, by field and other registry; `whole_count` is of how many both tell the field.
-- 'corroborated': events of another registry that the run confirmed, by their subject.
create table registry.run_count (
    run_id bigint not null references registry.run on delete cascade,
    kind text not null,
    other_source text,
    subject text,
    row_count bigint not null,
    whole_count bigint,
    constraint run_count_key unique nulls not distinct (run_id, kind, other_source, subject),
    constraint run_count_kind_known
        check (kind in ('rejected', 'written', 'contradicted', 'corroborated'))
);

-- Finds the attempts of a day without those on demand, which may be many.
create index run_dump_date_idx on registry.run (dump_date, source)
where state in ('published', 'refused');
