-- One row per difference that a night found; ids ascend in the order of publication, without gaps. To
-- check the type costs 12 microseconds an event.
create table registry.event (
    company_id bigint not null,
    event_id bigint not null,
    entry_id bigint not null,
    event_date date not null,
    source text not null,
    event_type text not null,
    old_value text,
    new_value text,
    constraint event_pkey primary key (company_id, event_id),
    constraint event_event_type_fkey foreign key (event_type) references registry.event_type
);

create index event_id_idx on registry.event (event_id);
create index event_date_idx on registry.event (event_date, event_id);

-- One row per event and other registry that reported the same change. The values are those that this
-- registry reported: another old value, or another spelling of the new one.
create table registry.corroboration (
    company_id bigint not null,
    event_id bigint not null,
    source text not null,
    run_id bigint not null references registry.run,
    entry_id bigint not null,
    event_date date not null,
    old_value text,
    new_value text,
    constraint corroboration_pkey primary key (company_id, event_id, source)
);
