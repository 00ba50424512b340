-- Compares the stock and the flow of a registry with its entries, and with the daily statistics.

-- Counts each group of entries as it is, and as the changes of the stock record it.
with both_sides as (
    select
        entry.voivodeship,
        coalesce(activity_recoded.section, activity_division.section) as activity_section,
        entry.legal_form,
        entry.status,
        0 as kept_count,
        count(*) as entry_count
    from registry.entry
    left join registry.activity_recoded
        on activity_recoded.version = entry.activity_version
    and activity_recoded.code = entry.activity_main
    left join registry.activity_division
        on activity_division.country_code = entry.country_code
        and activity_division.division = left(entry.activity_main, 2)
    where
        entry.source = $1::text
        and entry.gone_date is null
        and entry.declared_status <> 'DELETED'
    group by 1, 2, 3, 4
    union all
    select
        stock_change.voivodeship,
        stock_change.activity_section,
        stock_change.legal_form,
        stock_change.status,
        stock_change.entry_change,
        0
    from registry.stock_change
    where stock_change.source = $1
),

-- Lists by how much the standing entries of a day, group and status changed, beside the flows and moves. A suspension
-- adds to SUSPENDED and takes from ACTIVE, a resumption the other way round.
explained as (
    select
        stock_flow.stat_date,
        stock_flow.voivodeship,
        stock_flow.activity_section,
        stock_flow.legal_form,
        side.status,
        side.entry_change,
        side.flow
    from registry.stock_flow
    cross join lateral (
        values
        (
            stock_flow.status,
            stock_flow.entry_change,
            stock_flow.new_count - stock_flow.ended_count + stock_flow.suspended_count
            + stock_flow.resumed_count + stock_flow.moved_in - stock_flow.moved_out
            + stock_flow.recoded_in - stock_flow.recoded_out
        ),
        (
            case stock_flow.status when 'ACTIVE' then 'SUSPENDED' else 'ACTIVE' end,
            0,
            -stock_flow.suspended_count - stock_flow.resumed_count
        )
    ) as side (status, entry_change, flow)
    where stock_flow.source = $1 and stock_flow.status <> 'DELETED'
)

select format(
    'the stock of %s %s entries in %s, %s, %s is %s, the entries give %s',
    $1,
    both_sides.status,
    coalesce(both_sides.voivodeship, 'no voivodeship'),
    coalesce(both_sides.activity_section, 'no section'),
    coalesce(both_sides.legal_form, 'no legal form'),
    registry.figure(sum(both_sides.kept_count)),
    registry.figure(sum(both_sides.entry_count))
) as finding
from both_sides
group by
    both_sides.voivodeship, both_sides.activity_section, both_sides.legal_form, both_sides.status
having sum(both_sides.kept_count) <> sum(both_sides.entry_count)
union all
select format(
    'the stock of %s on %s is %s entries, the daily statistics say %s',
    $1,
    summed.stat_date,
    registry.figure(summed.stock),
    registry.figure(summed.entry_count)
)
from (
    select
        daily_stat.stat_date,
        daily_stat.entry_count,
        coalesce(sum(changed.entry_change) over (order by daily_stat.stat_date), 0) as stock
    from registry.daily_stat
    left join (
        select stock_change.stat_date, sum(stock_change.entry_change) as entry_change
        from registry.stock_change
        where stock_change.source = $1
        group by stock_change.stat_date
    ) as changed using (stat_date)
    where daily_stat.source = $1
) as summed
where summed.stock <> summed.entry_count
union all
select format(
    'the %s entries of %s in %s, %s, %s change by %s on %s, its flows and moves say %s',
    explained.status,
    $1,
    coalesce(explained.voivodeship, 'no voivodeship'),
    coalesce(explained.activity_section, 'no section'),
    coalesce(explained.legal_form, 'no legal form'),
    registry.figure(sum(explained.entry_change)),
    explained.stat_date,
    registry.figure(sum(explained.flow))
)
from explained
left join registry.daily_stat
    on daily_stat.source = $1
    and daily_stat.stat_date = explained.stat_date
where daily_stat.is_baseline is not true
group by
    explained.stat_date, explained.voivodeship, explained.activity_section, explained.legal_form,
    explained.status
having sum(explained.entry_change) <> sum(explained.flow)
limit 100;
