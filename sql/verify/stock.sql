-- Compares the stock and the flow of a registry with the registry's entries, and with the daily statistics.

-- Lists pairs of counts that must be equal in each group of entries. Rows without a day compare the sum of all stock
-- changes with the present entries. Rows with a day compare the stock change of the day with the flows and moves of the
-- day. A suspension moves an entry from ACTIVE to SUSPENDED, and a resumption moves it back.
with counted as (
    select
        null::date as stat_date,
        entry.voivodeship,
        coalesce(activity_recoded.section, activity_division.section) as activity_section,
        entry.legal_form,
        entry.status,
        0 as stated,
        count(*) as found
    from registry.entry
    left join registry.activity_recoded
        on (activity_recoded.version, activity_recoded.code) = (entry.activity_version, entry.activity_main)
    left join registry.activity_division
        on activity_division.country_code = entry.country_code
        and activity_division.division = left(entry.activity_main, 2)
    where
        entry.source = $1::text
        and entry.gone_date is null
        and entry.declared_status <> 'DELETED'
    group by 2, 3, 4, 5
    union all
    select null, voivodeship, activity_section, legal_form, status, entry_change, 0
    from registry.stock_change
    where source = $1
    union all
    select
        stat_date, flow.voivodeship, flow.activity_section, flow.legal_form, side.status, side.stated,
        side.found
    from registry.stock_flow as flow
    left join analyst.daily_stat on (daily_stat.source, daily_stat.date) = (flow.source, flow.stat_date)
    cross join lateral (
        values
        (
            flow.status,
            flow.entry_change,
            flow.new_count - flow.ended_count + flow.suspended_count + flow.resumed_count
            + flow.moved_in - flow.moved_out + flow.recoded_in - flow.recoded_out
        ),
        (
            case flow.status when 'ACTIVE' then 'SUSPENDED' else 'ACTIVE' end,
            0,
            -flow.suspended_count - flow.resumed_count
        )
    ) as side (status, stated, found)
    where flow.source = $1 and flow.status <> 'DELETED' and daily_stat.is_baseline is not true
)

select format(
    case
        when stat_date is null
            then 'the stock of %1$s %2$s entries in %3$s, %4$s, %5$s is %6$s, the entries give %7$s'
        else 'the %2$s entries of %1$s in %3$s, %4$s, %5$s change by %6$s on %8$s, '
            'its flows and moves say %7$s'
    end,
    $1,
    status,
    coalesce(voivodeship, 'no voivodeship'),
    coalesce(activity_section, 'no section'),
    coalesce(legal_form, 'no legal form'),
    registry.figure(sum(stated)),
    registry.figure(sum(found)),
    stat_date
) as finding
from counted
group by stat_date, voivodeship, activity_section, legal_form, status
having sum(stated) <> sum(found)
union all
select format(
    'the stock of %s on %s is %s entries, the daily statistics say %s',
    $1, date, registry.figure(stock), registry.figure(entry_count)
)
from (
    select
        daily_stat.date,
        daily_stat.entry_count,
        coalesce(sum(changed.entry_change) over (order by daily_stat.date), 0) as stock
    from analyst.daily_stat
    left join (
        select stock_change.stat_date as date, sum(stock_change.entry_change) as entry_change
        from registry.stock_change
        where stock_change.source = $1
        group by stock_change.stat_date
    ) as changed using (date)
    where daily_stat.source = $1
) as summed
where stock <> entry_count
limit 100;
