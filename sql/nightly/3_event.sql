-- One row per event of the night, before it has a number: 3a to 3d fill it side by side.
create unlogged table stage.event (
    company_id bigint not null,
    entry_id bigint not null,
    event_type text not null,
    old_value text,
    new_value text
);
