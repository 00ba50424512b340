import { sql } from 'kysely';
import type { Db } from '../../../sql/connection/kysely.ts';
import type { Context } from '../../http/context.ts';
import { isSmall } from '../../stats/hide-small.ts';
import { readSeries } from '../../stats/read-series.ts';
import type { Selection } from './selection.ts';

/** The active entries of a region; `slug` is `none` for those without one. */
export interface Region {
  slug: string;
  name: string | null;
  /** Null where the operator hides small counts. */
  count: number | null;
  /** Since `since`; null where nothing is before it. */
  change: number | null;
  population: number | null;
  /** How the map draws it; null: not at all. */
  drawing: { letters: string; x: number; y: number; shape: string } | null;
}

/** The snapshot that is counted, and the one that changes are since: the last before `from`, else the first. */
async function findSpan(db: Db, { source, from, to }: Selection) {
  const { rows } = await sql<Record<'date' | 'since', string | null>>`
    select
        max(stat_date) filter (where stat_date <= ${to || 'infinity'}::date) as date,
        coalesce(
            max(stat_date) filter (where stat_date < ${from || '-infinity'}::date), min(stat_date)
        ) as since
    from registry.daily_stat
    where source = ${source}
  `.execute(db);
  return rows[0]!;
}

/** The active entries on a day by the name of their region; null: those without one. */
async function countOn(db: Db, { source, section, legal_form }: Selection, date: string) {
  const points = await readSeries(db, source, {
    by: 'day',
    from: date,
    to: date,
    group_by: ['voivodeship'],
    section: section || undefined,
    legal_form: legal_form || undefined,
  });
  return new Map(
    points.map(({ group, stock }) => [group?.voivodeship ?? null, Number(stock.ACTIVE)]),
  );
}

async function countRegions(db: Db, country_code: string, selection: Selection) {
  const { date, since } = await findSpan(db, selection);
  const counts = date ? await countOn(db, selection, date) : new Map<string | null, number>();
  const isCompared = date !== null && since !== null && since < date;
  const before = isCompared ? await countOn(db, selection, since) : undefined;
  type Known = Omit<Region, 'count' | 'change'> & Record<'year' | 'source', string | null>;
  const { rows: known } = await sql<Known>`
    select
        region.slug, region.name, population.population::float8, population.year, population.source,
        to_json(region_shape) as drawing
    from registry.region
    left join registry.population
        on population.country_code = region.country_code and population.voivodeship = region.code
    left join registry.region_shape
        on region_shape.country_code = region.country_code and region_shape.code = region.code
    where region.country_code = ${country_code}
    order by region.name
  `.execute(db);
  const none = { slug: 'none', name: null, population: null, drawing: null };
  const regions = [...known, ...(counts.has(null) ? [none] : [])].map(
    ({ slug, name, population, drawing }): Region => {
      const count = counts.get(name) ?? 0;
      const change = before ? count - (before.get(name) ?? 0) : null;
      return { slug, name, count, change, population, drawing };
    },
  );
  const { year, source } = known.find(({ population }) => population !== null) ?? {};
  return { date, since, population_year: year, population_source: source, regions };
}

/** Returns a number above one value and not above the other, with as few digits as that takes. */
function roundBetween(below: number, above: number, isWhole: boolean): number {
  const rounded = [1, 2, 3, 4, 5, 6]
    .map((digits) => Number(((below + above) / 2).toPrecision(digits)))
    .filter((limit) => !isWhole || Number.isInteger(limit));
  return rounded.find((limit) => below < limit && limit <= above) ?? above;
}

/**
 * Where one class ends and the next begins, ascending: up to five classes. Values of both signs have classes of
 * equal width around zero, others classes of about equally many values. Whole numbers have whole limits.
 */
function findLimits(values: number[]): number[] {
  const sorted = [...new Set(values)].toSorted((one, other) => one - other);
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)];
  if (least < 0 && most > 0) {
    const widest = Math.max(-least, most);
    return [-0.6, -0.2, 0.2, 0.6].map((part) => Number((part * widest).toPrecision(2)));
  }
  const classes = Math.min(5, sorted.length);
  const isWhole = sorted.every(Number.isInteger);
  return [1, 2, 3, 4].slice(0, Math.max(0, classes - 1)).map((part) => {
    const end = Math.round((part * sorted.length) / classes);
    return roundBetween(sorted[end - 1]!, sorted[end]!, isWhole);
  });
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

/** The map of the active entries of a country on the last day of the selection, with its classes. */
export async function findMap(
  { readers: { db }, suppressBelow }: Pick<Context, 'readers' | 'suppressBelow'>,
  country_code: string,
  selection: Selection,
) {
  const { regions, ...counted } = await countRegions(db, country_code, selection);
  const total = regions.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const hide = (count: number | null) =>
    count !== null && isSmall(count, suppressBelow) ? null : count;
  const valued = regions
    .map((region) => ({ ...region, count: hide(region.count), change: hide(region.change) }))
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
