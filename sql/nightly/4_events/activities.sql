-- Turns changed activities into events.

-- One row per changed entry and code that came or went. When an entry moves to the other version of the
-- classification, the codes that the official key maps in either direction are one reclassification. A
-- division, group or class may become any code, or part of a code, that a code below it may become. A
-- code that the key does not map, and which stays, did not change.
create unlogged table stage.activity_change as
with changed as (
    select
        after.company_id,
        after.entry_id,
        before.activity_version as old_version,
        string_to_array(before.activity_codes, ',') as old_codes,
        string_to_array(after.activity_codes, ',') as new_codes,
        before.activity_version <> after.activity_version is true as is_recoded
    from stage.before
    join stage.after using (entry_id)
    where
        (before.activity_version, before.activity_codes)
        is distinct from (after.activity_version, after.activity_codes)
),

explained_code as (
    select distinct
        changed.entry_id,
        code.code,
        code.version = changed.old_version as is_old
    from changed
    cross join lateral (
        select
            case changed.old_version when 2007 then changed.old_codes else changed.new_codes end
                as codes_2007,
            case changed.old_version when 2007 then changed.new_codes else changed.old_codes end
                as codes_2025
    ) as list
    cross join lateral unnest(list.codes_2007) as former (code)
    -- `offset 0` keeps the search by index.
    cross join lateral (
        select activity_key.code_2025
        from registry.activity_key
        where activity_key.code_2007 between former.code and former.code || 'Z'
        offset 0
    ) as successor
    join unnest(list.codes_2025) as latter (code) on starts_with(successor.code_2025, latter.code)
    cross join lateral (
        values
        (2007, former.code),
        (2025, latter.code)
    ) as code (version, code)
    where changed.is_recoded
)

select
    changed.company_id,
    changed.entry_id,
    code.code,
    code.is_old,
    explained_code.entry_id is not null as is_explained
from changed
cross join lateral (
    select distinct unnest(changed.old_codes) as code, true as is_old
    union all
    select distinct unnest(changed.new_codes), false
) as code
left join explained_code
    on explained_code.entry_id = changed.entry_id
    and explained_code.code = code.code
    and explained_code.is_old = code.is_old
where
    explained_code.entry_id is not null
    or code.is_old and code.code <> all(changed.new_codes)
    or not code.is_old and code.code <> all(changed.old_codes);

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    activity_change.company_id,
    activity_change.entry_id,
    case
        when activity_change.is_old then 'COMPANY_ACTIVITY_REMOVED'
        else 'COMPANY_ACTIVITY_ADDED'
    end,
    case when activity_change.is_old then activity_change.code end,
    case when not activity_change.is_old then activity_change.code end
from stage.activity_change
where not activity_change.is_explained
union all
select
    activity_change.company_id,
    activity_change.entry_id,
    'COMPANY_ACTIVITIES_RECLASSIFIED',
    string_agg(activity_change.code, ',' order by activity_change.code collate "C")
        filter (where activity_change.is_old),
    string_agg(activity_change.code, ',' order by activity_change.code collate "C")
        filter (where not activity_change.is_old)
from stage.activity_change
where activity_change.is_explained
group by activity_change.company_id, activity_change.entry_id;

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id,
    after.entry_id,
    'COMPANY_MAIN_ACTIVITY_CHANGED',
    before.activity_main,
    after.activity_main
from stage.before
join stage.after using (entry_id)
where
    before.activity_main is distinct from after.activity_main
    and (
        before.activity_version = after.activity_version is not false
        or not exists (
            select
            from (
                values
                (2007, before.activity_main, after.activity_main),
                (2025, after.activity_main, before.activity_main)
            ) as main (version, code_2007, code_2025)
            join registry.activity_key
                on activity_key.code_2007 between main.code_2007 and main.code_2007 || 'Z'
                and starts_with(activity_key.code_2025, main.code_2025)
            where main.version = before.activity_version
        )
    );
