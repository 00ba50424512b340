-- One row per level of severity; `rank` orders the levels from the least to the most critical.
create table registry.severity (
    severity text primary key,
    rank smallint not null unique deferrable,
    constraint severity_rank_positive check (rank > 0)
);

-- One row per event type; no other table has its severity, class and category. `subject` names the field that changed.
-- `changes`: the kinds of change (added, changed, removed) that are events of this type.
create table registry.event_type (
    event_type text collate "C" primary key,
    severity text not null references registry.severity,
    event_class text not null,
    category text not null,
    subject text not null,
    changes text[],
    description text not null,
    constraint event_type_event_class_known check (
        event_class in ('initialization', 'change', 'growth', 'risk', 'anomaly', 'recovery')
    ),
    constraint event_type_category_known check (
        category in (
            'status', 'identity', 'location', 'ownership', 'activities', 'contacts', 'web_presence',
            'finance'
        )
    ),
    constraint event_type_event_type_upper_case check (event_type ~ '^[A-Z]+(_[A-Z]+)*$')
);

-- One row per event, which is a difference that a night found. Ids ascend in the order of publication, without gaps.
-- The foreign key on the type costs 12 microseconds an event.
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

-- One row per event and other registry that reported the same change. The values come from the other registry, which
-- may have another old value, or another spelling of the new value.
create table registry.corroboration (
    company_id bigint not null,
    event_id bigint not null,
    source text not null,
    entry_id bigint not null,
    event_date date not null,
    old_value text,
    new_value text,
    constraint corroboration_pkey primary key (company_id, event_id, source)
);
