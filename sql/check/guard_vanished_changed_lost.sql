-- Refuses a dump in which too many entries vanished, or changed or lost a field: more than `registry.guard_rows`, and
-- more than a percentage of the entries. The percentage grows with the days since the compared dump, up to ten times
-- its daily value, which a damaged dump still exceeds. A field that its owner withholds does not count as lost
-- (`is_rightful` in sql/nightly/2_compare/changed_and_lost_fields.sql).
with counted as (
    select
        'field_changed' as guard,
        'the %3$s of %1$s of %2$s entries changed' as sentence,
        changed_field.field as subject,
        null as file,
        count(*) as row_count,
        null::bigint as file_entry_count,
        2 as daily_limit
    from stage.changed_field
    -- If an entry's activities are recoded to a new version of their classification, does not count this as a change.
    where
        not changed_field.is_recoded
        or changed_field.is_lost
        or changed_field.field not in ('activities', 'main activity', 'activity version')
    group by changed_field.field
    union all
    select
        'field_lost', '%1$s of %2$s entries lost their %3$s', changed_field.field, null, count(*), null, 1
    from stage.changed_field
    where changed_field.is_lost
    group by changed_field.field
    union all
    select
        'vanished', '%1$s of %2$s entries %3$s',
        case night.dump_kind when 'full' then 'vanished' else 'are said to be struck off' end,
        null, count(*), null, 0.5
    from stage.vanished
    cross join stage.night
    where not vanished.waits
    group by night.dump_kind
    union all
    select
        'vanished_from_file', '%3$s: %1$s of %2$s entries vanished', run_file.file, run_file.file,
        count(*), run_file.entry_count, 2
    from stage.vanished
    cross join stage.night
    join registry.run_file
        on run_file.run_id = night.compared_run_id
        and run_file.file_key = vanished.file_key
    where night.dump_kind = 'full' and not vanished.waits
    group by run_file.file, run_file.entry_count
)

select
    counted.guard,
    format(
        counted.sentence || ': %4$s %%, the limit is %5$s %%%6$s',
        registry.figure(counted.row_count), registry.figure(share.entry_count), counted.subject,
        share.value, share.limit_value,
        case when night.day_count > 1 then format(' after %s days', night.day_count) end
    ) as refusal,
    counted.file,
    case when counted.guard ~ '^field_' then counted.subject end as field,
    share.value,
    share.limit_value
from counted
cross join stage.night
join registry.run on run.run_id = night.previous_run_id
cross join lateral (
    select
        coalesce(counted.file_entry_count, run.entry_count) as entry_count,
        registry.percent(counted.row_count, coalesce(counted.file_entry_count, run.entry_count)) as value,
        trim_scale(counted.daily_limit * least(night.day_count, 10)) as limit_value
) as share
where
    counted.row_count > registry.guard_rows()
    and 100 * counted.row_count > share.limit_value * share.entry_count
order by
    counted.guard,
    case when counted.file is not null then share.value end desc,
    counted.subject;
