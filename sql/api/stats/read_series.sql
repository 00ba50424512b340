-- Returns the stock (entries) and the flow (new and ended entries) of the registry $1 per $2 (`day` or `month`) from
-- the day $3 to the day $4, in at most $8 rows. For each group of entries, there is one row per period that has
-- snapshots, ordered by period and by the group's symbols. A row names the region and the legal form of its group. $5
-- (voivodeship), $6 (section) and $7 (legal form) group or select entries: null makes no groups, '*' makes one group
-- per symbol, a symbol selects the entries that have it, and '' selects entries without a symbol.
with period as (
    select
        case $2::text when 'month' then date_trunc('month', daily_stat.date)::date else daily_stat.date end as date,
        bool_or(is_baseline) as is_baseline,
        bool_or(not is_baseline) as is_compared,
        sum(days_covered)::float8 as days_covered,
        count(*)::float8 as days_with_data,
        $2 = 'month' and registry.is_partial_month(
            date_trunc('month', min(daily_stat.date))::date,
            min(daily_stat.date - days_covered),
            max(daily_stat.date)
        ) as is_partial
    from analyst.daily_stat
    where
        source = $1::text
        and daily_stat.date between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')
    group by 1
),

-- Sums the flows and the changes of the stock per group and period. The sum of the first period also includes the stock
-- changes of all days before this period. A move of an entry within its group is not counted.
change as materialized (
    select
        greatest(
            case $2 when 'month' then date_trunc('month', stat_date)::date else stat_date end,
            (select min(period.date) from period)
        ) as date,
        case when $5::text is null then '' else coalesce(voivodeship, '') end as voivodeship,
        case when $6::text is null then '' else coalesce(activity_section, '') end as section,
        case when $7::text is null then '' else coalesce(legal_form, '') end as legal_form,
        sum(entry_change) filter (where status = 'ACTIVE') as active_stock,
        sum(entry_change) filter (where status = 'SUSPENDED') as suspended_stock,
        sum(entry_change) filter (where status = 'DELETED') as deleted_stock,
        sum(new_count) filter (where is_flow) as new,
        sum(ended_count) filter (where is_flow) as ended,
        sum(suspended_count) filter (where is_flow) as suspended,
        sum(resumed_count) filter (where is_flow) as resumed,
        sum(returned_count) filter (where is_flow) as returns,
        sum(moved_in) as moved_in,
        sum(moved_out) as moved_out,
        sum(recoded_in) as recoded_in,
        sum(recoded_out) as recoded_out
    from registry.stock_flow
    cross join lateral (select stat_date >= coalesce($3, '-infinity') as is_flow) as day
    where
        source = $1
        and stat_date <= coalesce($4, 'infinity')
        and stat_date < 'infinity'
        and coalesce($5, '*') in ('*', coalesce(voivodeship, ''))
        and coalesce($6, '*') in ('*', coalesce(activity_section, ''))
        and coalesce($7, '*') in ('*', coalesce(legal_form, ''))
        and (
            not is_move
            or is_flow
            and (
                $5 is not null and voivodeship is distinct from other_voivodeship
                or $6 is not null and activity_section is distinct from other_section
                or $7 is not null and legal_form is distinct from other_legal_form
            )
        )
    group by 1, 2, 3, 4
),

point as (
    select *
    from period
    left join (select distinct voivodeship, section, legal_form from change) as shown on true
    where shown.section is not null or $8::bigint is null
    limit $8::bigint
)

select
    point.date,
    coalesce(region.name, nullif(point.voivodeship, '')) as voivodeship,
    nullif(point.section, '') as section,
    coalesce(form.slug, nullif(point.legal_form, '')) as legal_form,
    json_build_object(
        'ACTIVE', coalesce(sum(change.active_stock) over so_far, 0),
        'SUSPENDED', coalesce(sum(change.suspended_stock) over so_far, 0),
        'DELETED', coalesce(sum(change.deleted_stock) over so_far, 0)
    ) as stock,
    flow.*,
    point.is_baseline, point.days_covered, point.days_with_data, point.is_partial
from point
left join change using (date, voivodeship, section, legal_form)
left join registry.region
    on (region.country_code, region.code) = (registry.source_country($1), point.voivodeship)
left join registry.legal_form_symbol as form
    on (form.country_code, form.symbol) = (registry.source_country($1), point.legal_form)
-- A period whose snapshots are all baselines has no flow, since a baseline is not compared with an earlier snapshot.
left join lateral (
    select
        coalesce(change.new, 0)::float8 as new,
        coalesce(change.ended, 0)::float8 as ended,
        coalesce(change.suspended, 0)::float8 as suspended,
        coalesce(change.resumed, 0)::float8 as resumed,
        coalesce(change.new - change.returns, 0)::float8 as births,
        coalesce(change.returns, 0)::float8 as returns,
        coalesce(change.moved_in, 0)::float8 as moved_in,
        coalesce(change.moved_out, 0)::float8 as moved_out,
        coalesce(change.recoded_in, 0)::float8 as recoded_in,
        coalesce(change.recoded_out, 0)::float8 as recoded_out
) as flow on point.is_compared
window so_far as (partition by point.voivodeship, point.section, point.legal_form order by point.date)
order by
    point.date,
    point.voivodeship collate "C",
    point.section collate "C",
    point.legal_form collate "C"
