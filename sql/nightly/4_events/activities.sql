-- Turns changed activities into events. Old and new codes that country/*/activity_recoding.csv maps to each other make
-- one event, COMPANY_ACTIVITIES_RECLASSIFIED.

-- Returns the old codes that the recoding key maps to one of the new codes, and the new codes to which it maps them. A
-- mapping counts in both directions. The code of a division, group or class stands for all codes that begin with it.
create function stage.explained_codes(
    old_version smallint, old_codes text[], new_version smallint, new_codes text[]
) returns table (code text, is_old boolean)
language sql stable as $$
    select distinct code.code, code.is_old
    from (
        values
        (old_version, old_codes, new_version, new_codes, true),
        (new_version, new_codes, old_version, old_codes, false)
    ) as list (from_version, from_codes, to_version, to_codes, is_from_old)
    cross join lateral unnest(list.from_codes) as former (code)
    -- `offset 0` makes Postgres use the index of registry.activity_recoding.
    cross join lateral (
        select activity_recoding.to_code
        from registry.activity_recoding
        where
            activity_recoding.from_version = list.from_version
            and activity_recoding.to_version = list.to_version
            and activity_recoding.from_code between former.code and former.code || 'Z'
        offset 0
    ) as successor
    join unnest(list.to_codes) as latter (code) on starts_with(successor.to_code, latter.code)
    cross join lateral (
        values (former.code, list.is_from_old), (latter.code, not list.is_from_old)
    ) as code (code, is_old)
$$;

-- Lists one row per added or removed code of an entry. If an entry moves to another version of the classification, the
-- codes of stage.explained_codes make one event. A code of yesterday and today that has no mapping is unchanged.
with changed as (
    select
        after.company_id, after.entry_id, before.activity_version as old_version,
        after.activity_version as new_version,
        string_to_array(before.activity_codes, ',') as old_codes,
        string_to_array(after.activity_codes, ',') as new_codes
    from stage.before
    join stage.after using (entry_id)
    where
        not (select night.has_one_activity from stage.night)
        and (before.activity_version, before.activity_codes)
        is distinct from (after.activity_version, after.activity_codes)
),

explained_code as (
    select changed.entry_id, explained.*
    from changed
    cross join lateral stage.explained_codes(
        changed.old_version, changed.old_codes, changed.new_version, changed.new_codes
    ) as explained
    where changed.old_version <> changed.new_version
),

activity_change as (
    select
        changed.company_id, changed.entry_id, code.code, code.is_old,
        explained_code.entry_id is not null as is_explained
    from changed
    cross join lateral (
        select distinct unnest(changed.old_codes) as code, true as is_old
        union all
        select distinct unnest(changed.new_codes), false
    ) as code
    left join explained_code using (entry_id, code, is_old)
    where
        explained_code.entry_id is not null
        or code.is_old and code.code <> all(changed.new_codes)
        or not code.is_old and code.code <> all(changed.old_codes)
)

insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    activity_change.company_id,
    activity_change.entry_id,
    case
        when activity_change.is_explained then 'COMPANY_ACTIVITIES_RECLASSIFIED'
        when bool_or(activity_change.is_old) then 'COMPANY_ACTIVITY_REMOVED'
        else 'COMPANY_ACTIVITY_ADDED'
    end,
    string_agg(activity_change.code, ',' order by activity_change.code collate "C")
        filter (where activity_change.is_old),
    string_agg(activity_change.code, ',' order by activity_change.code collate "C")
        filter (where not activity_change.is_old)
from activity_change
-- All codes of an entry that the recoding key explains make one event; each other code makes an event of its own.
group by
    activity_change.company_id, activity_change.entry_id, activity_change.is_explained,
    case when not activity_change.is_explained then activity_change.code end;

-- Turns a changed main activity into an event. In a registry that states only the main activity, the change is a
-- reclassification if the registry announced the new code or, without an announcement, if the recoding key maps the old
-- code to the new code.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id,
    after.entry_id,
    case
        when not night.has_one_activity then 'COMPANY_MAIN_ACTIVITY_CHANGED'
        when before.activity_main is null then 'COMPANY_ACTIVITY_ADDED'
        when after.activity_main is null then 'COMPANY_ACTIVITY_REMOVED'
        when recoded.is_explained then 'COMPANY_ACTIVITIES_RECLASSIFIED'
        else 'COMPANY_MAIN_ACTIVITY_CHANGED'
    end,
    before.activity_main,
    after.activity_main
from stage.before
join stage.after using (entry_id)
cross join stage.night
cross join lateral (
    select
        before.activity_version <> after.activity_version is true
        and coalesce(
            after.activity_main = before.announced_activity,
            exists (
                select from stage.explained_codes(
                    before.activity_version, array[before.activity_main],
                    after.activity_version, array[after.activity_main]
                )
            )
        ) as is_explained
) as recoded
where
    before.activity_main is distinct from after.activity_main
    and (night.has_one_activity or not recoded.is_explained);
