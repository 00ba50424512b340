-- Compares yesterday with today: finds changed and lost fields, and collects the states of changed entries.

-- Holds one row per known entry that may have changed: its state of yesterday.
create unlogged table stage.before as
select entry.*
from stage.pair
join registry.entry using (company_id, entry_id)
where pair.is_changed;

analyze stage.before (company_id, entry_id);

-- Holds one row per entry of stage.before: its state of today.
create unlogged table stage.after as
select changed_entry.*
from stage.changed_entry
where exists (select from stage.before);

analyze stage.after (company_id, entry_id, file_key);

-- Holds one row per changed field of an entry in stage.before. `is_lost` is true if the field has lost its value, its
-- owner does not withhold it and the entry has not ended. `is_recoded` is true if the activities moved to another
-- version of the classification on an allowed day. One query per field is three times as fast as a join with `values`.
do $do$
begin
    execute format(
        $sql$
        create unlogged table stage.changed_field as
        select
            after.entry_id,
            changed.field,
            changed.is_lost and not taken.is_rightful as is_lost,
            before.activity_version <> after.activity_version is true
            and night.dump_date >= coalesce(
                (night.recoded_from ->> activity_scheme.scheme)::date, night.dump_date
            ) as is_recoded
        from stage.before
        join stage.after using (entry_id)
        cross join stage.night
        left join registry.activity_scheme on activity_scheme.version = after.activity_version
        cross join lateral (
            select
                after.is_partial is true
                -- The list `unstated` may also contain an unknown start date, which its owner does not withhold.
                or not coalesce(array_remove(after.unstated, 'start date') <@ coalesce(before.unstated, '{}'), true)
                or (after.status = 'DELETED' and before.status <> 'DELETED') as is_rightful
            offset 0
        ) as taken
        cross join lateral (
            %s
            union all
            -- A new order of the same activities is no change.
            select 'activities', after.activity_codes = ''
            where
                before.activity_codes <> after.activity_codes
                and not (
                    string_to_array(before.activity_codes, ',')
                    @> string_to_array(after.activity_codes, ',')
                    and string_to_array(before.activity_codes, ',')
                    <@ string_to_array(after.activity_codes, ',')
                )
            union all
            select 'stated fields', false
            where
                (before.is_partial, before.unstated)
                is distinct from (after.is_partial, after.unstated)
            union all
            select 'restructuring', after.restructuring_state is null
            where
                (
                    before.restructuring_state, before.restructuring_start_date,
                    before.restructuring_end_date
                ) is distinct from (
                    after.restructuring_state, after.restructuring_start_date,
                    after.restructuring_end_date
                )
        ) as changed
        $sql$,
        (
            select string_agg(
                format(
                    'select %L as field, after.%2$I is null as is_lost
                    where before.%2$I is distinct from after.%2$I',
                    field,
                    column_name
                ),
                ' union all '
            )
            from registry.entry_column
            where field is not null
        )
    );
end;
$do$;

analyze stage.changed_field (entry_id);

-- Deletes the unchanged entries from stage.after and stage.before. An entry stays if a field or its key changed, it
-- came back, or it was struck off.
delete from stage.after
using stage.before
where
    (before.entry_id, before.entry_key) = (after.entry_id, after.entry_key)
    and (before.gone_date is null) = (after.gone_date is null)
    and not exists (
        select from stage.changed_field
        where changed_field.entry_id = after.entry_id
    );

delete from stage.before
where not exists (
    select from stage.after
    where after.entry_id = before.entry_id
);

-- Adds the entries that are gone, and unchanged entries whose announced end, strike-off or suspension is reached. An
-- import on demand adds no gone or ended entries: the next dump does. Each part of the union uses an index of its own.
insert into stage.before
select known.*
from stage.night
cross join lateral (
    select gone.*
    from stage.vanished
    join registry.entry as gone using (company_id, entry_id)
    where not vanished.waits
    union
    select ended.*
    from registry.entry as ended
    where
        ended.source = night.source
        and least(ended.end_date, ended.struck_off_date) <= night.dump_date
        and ended.status <> 'DELETED'
    union
    select suspended.*
    from registry.entry as suspended
    where
        suspended.source = night.source
        and suspended.suspension_date <= night.dump_date
        and suspended.declared_status = 'SUSPENDED'
        and suspended.status = 'ACTIVE'
) as known
where
    not night.is_import
    -- `not in` instead of `not exists` would compare each added entry with millions of changed entries.
    and not exists (
        select from stage.before
        where before.entry_id = known.entry_id
    );

insert into stage.after
select today.*
from stage.before
cross join stage.night
left join stage.vanished on vanished.entry_id = before.entry_id and not vanished.waits
cross join lateral jsonb_populate_record(
    before,
    case
        when vanished.entry_id is not null then jsonb_build_object(
            'fingerprint', null, 'status', 'DELETED', 'gone_date', night.dump_date,
            'changed_date', night.dump_date, 'said_run_id', night.run_id, 'said_file_no', null,
            'said_line', null
        )
        else jsonb_build_object(
            'status',
            registry.status_on(
                night.dump_date, before.declared_status, before.suspension_date,
                least(before.end_date, before.struck_off_date), before.gone_date
            )
        )
    end
) as today
where not exists (select from stage.after where after.entry_id = before.entry_id);
