import { sql } from 'kysely';
import type { Db } from '../../../sql/connection/kysely.ts';
import type { Context } from '../../http/context.ts';
import type { Selection } from './statistics.ts';

/** What the map can show: entries, their share of the country, their change, and entries per inhabitant. */
export const measures = ['count', 'share', 'change', 'rate'] as const;

/** The active entries of a voivodeship; `slug` is `none` for those without one. */
export interface Region {
  slug: string;
  name: string | null;
  /** Null where the operator hides small counts. */
  count: number | null;
  /** Since `since`; null where nothing is before it. */
  change: number | null;
  population: number | null;
}

interface Counted {
  /** The snapshot that is counted, and the one that `change` compares it with. */
  date: string | null;
  since: string | null;
  population_year: number | null;
  population_source: string | null;
  regions: Region[];
}

async function countRegions(db: Db, selection: Selection): Promise<Counted> {
  const asked = Object.fromEntries(
    Object.entries(selection).map(([name, value]) => [name, value || null]),
  );
  const { rows } = await sql<Counted>`
    with period as (
        select
            max(stat_date) filter (
                where stat_date <= coalesce(${asked.to}::date, 'infinity')
            ) as date,
            coalesce(
                max(stat_date) filter (where stat_date < ${asked.from}::date),
                min(stat_date)
            ) as since
        from registry.daily_stat
        where source = ${selection.source}
    ),

    counted as (
        select
            voivodeship,
            sum(entry_change) as count,
            coalesce(sum(entry_change) filter (where stat_date > period.since), 0) as change
        from registry.stock_change
        cross join period
        where
            source = ${selection.source}
            and status = 'ACTIVE'
            and stat_date <= period.date
            and (
                ${asked.section}::text is null
                or coalesce(activity_section, 'NONE') = upper(${asked.section})
            )
            and (
                ${asked.legal_form}::text is null
                or coalesce(legal_form, 'none') = coalesce(
                    (
                        select symbol from registry.legal_form_symbol
                        where slug = ${asked.legal_form}
                    ),
                    ${asked.legal_form}
                )
            )
        group by voivodeship
    ),

    region as (
        select
            coalesce(slug, 'none') as slug,
            name,
            coalesce(count, 0)::float8 as count,
            case when period.since < period.date then coalesce(change, 0)::float8 end as change,
            population::float8,
            year,
            population.source
        from registry.voivodeship
        full join counted on counted.voivodeship = teryt
        left join registry.population on population.voivodeship = teryt
        cross join period
    )

    select
        period.date,
        period.since,
        max(year) as population_year,
        max(source) as population_source,
        json_agg(region order by name) as regions
    from region
    cross join period
    group by period.date, period.since
  `.execute(db);
  return rows[0]!;
}

/** A number above one value and not above the other, with as few digits as that takes. */
function roundBetween(below: number, above: number): number {
  const rounded = [1, 2, 3, 4, 5, 6].map((digits) =>
    Number(((below + above) / 2).toPrecision(digits)),
  );
  return rounded.find((limit) => below < limit && limit <= above) ?? above;
}

/**
 * Where one class ends and the next begins, ascending: up to five classes. Values of both signs have classes of
 * equal width around zero. Others have classes of about equally many values, which end where the values next to
 * that lie farthest apart.
 */
function findLimits(values: number[]): number[] {
  const sorted = [...new Set(values)].toSorted((one, other) => one - other);
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)];
  if (least < 0 && most > 0) {
    const widest = Math.max(-least, most);
    return [-0.6, -0.2, 0.2, 0.6].map((part) => Number((part * widest).toPrecision(2)));
  }
  const jumpTo = (at: number) => sorted[at]! - sorted[at - 1]!;
  const ends = [1, 2, 3, 4].flatMap((part) => {
    const end = Math.round((part * sorted.length) / 5);
    const near = [end, end - 1, end + 1].filter((at) => at > 0 && at < sorted.length);
    return near.toSorted((one, other) => jumpTo(other) - jumpTo(one)).slice(0, 1);
  });
  const everyEnd = [...sorted.keys()].slice(1);
  return (sorted.length <= 5 ? everyEnd : [...new Set(ends)]).map((end) =>
    roundBetween(sorted[end - 1]!, sorted[end]!),
  );
}

/** A region whose counts of entries from 1 to below `below` are hidden. */
function hideSmall(region: Region, below: number): Region {
  const isSmall = (value: number | null) => value !== 0 && Math.abs(value ?? 0) < below;
  const count = isSmall(region.count) ? null : region.count;
  return { ...region, count, change: isSmall(region.change) ? null : region.change };
}

/** What the map shows of a region: a number, or null where it has none. */
function valueOf(measure: Selection['measure'], region: Region, total: number): number | null {
  const { count, change, population } = region;
  if (count === null) return null;
  if (measure === 'share') return total > 0 ? count / total : null;
  if (measure === 'rate') return population === null ? null : (count / population) * 1000;
  if (measure !== 'change') return count;
  return change === null || count === change ? null : change / (count - change);
}

/** The map of the active entries on the last day of the selection, with its classes. */
export async function findMap(
  { db, suppressBelow }: Pick<Context, 'db' | 'suppressBelow'>,
  selection: Selection,
) {
  const { regions, ...counted } = await countRegions(db, selection);
  const total = regions.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const valued = regions
    .map((region) => hideSmall(region, suppressBelow))
    .map((region) => ({ ...region, value: valueOf(selection.measure, region, total) }));
  const onMap = valued.filter(({ slug }) => slug !== 'none').map(({ value }) => value);
  const limits = findLimits(onMap.filter((value) => value !== null));
  const shadeOf = (value: number | null) =>
    value === null ? null : limits.filter((limit) => value >= limit).length;
  return {
    ...counted,
    total,
    limits,
    isDiverging: (limits[0] ?? 0) < 0 && (limits.at(-1) ?? 0) > 0,
    regions: valued.map((region) => ({ ...region, shade: shadeOf(region.value) })),
  };
}
