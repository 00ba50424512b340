-- One row: when the next night is due. A schedule that begins later runs it at once: no other one has.
create table registry.schedule (
    is_only boolean not null primary key default true,
    next_at timestamptz not null,
    constraint schedule_is_one_row check (is_only)
);
