import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../../sql/connection/kysely.ts';
import type { Context } from '../../http/context.ts';
import { isSmall } from '../../stats/small-counts.ts';
import { readSeries } from '../../stats/read-series.ts';

const text = z.string().catch('');

/** The query parameters of the page `/stats`. A blank parameter is no filter, unless its comment names a default. */
export const selectionQuery = z.object({
  /** The country of the registry; a blank parameter means the default country. */
  country: text,
  source: text,
  voivodeship: text,
  section: z
    .string()
    .regex(/^([A-Z]|none)$/i)
    .catch(''),
  legal_form: text,
  from: z.iso.date().catch(''),
  to: z.iso.date().catch(''),
  by: z.enum(['day', 'month']).catch('day'),
  /** The measure of the map: share of the country, change, or entries per inhabitant; if blank, the count. */
  measure: z.enum(['share', 'change', 'rate']).or(z.literal('')).catch(''),
});

export type Selection = z.output<typeof selectionQuery>;

/** The number of active entries in a region. `slug` is `none` for the entries without a region. */
export interface Region {
  slug: string;
  name: string | null;
  /** The number of active entries; null for a small count that the operator hides. */
  count: number | null;
  /** The change of the count since the day `since`; null without an earlier snapshot. */
  change: number | null;
  population: number | null;
  /** The drawing of the region on the map; null if the map does not show the region. */
  drawing: { letters: string; x: number; y: number; shape: string } | null;
}

/** Returns the snapshot to count, and for the change the last snapshot before `from`, or else the first, as days. */
async function findSpan(db: Db, { source, from, to }: Selection) {
  const { rows } = await sql<Record<'date' | 'since', string | null>>`
    select
        max(date) filter (where date <= ${to || 'infinity'}::date) as date,
        coalesce(
            max(date) filter (where date < ${from || '-infinity'}::date), min(date)
        ) as since
    from analyst.daily_stat
    where source = ${source}
  `.execute(db);
  return rows[0]!;
}

/** Returns the number of active entries on a day by region name; the key null counts entries without a region. */
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
    select slug, name, population::float8, year, source, to_json(region_shape) as drawing
    from registry.region
    left join registry.region_shape using (country_code, code)
    left join (select *, voivodeship as code from registry.population) as people
        using (country_code, code)
    where country_code = ${country_code}
    order by name
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

/** Returns the number with the fewest digits that is above `below` and at most `above`. */
function roundBetween(below: number, above: number, isWhole: boolean): number {
  const rounded = [1, 2, 3, 4, 5, 6]
    .map((digits) => Number(((below + above) / 2).toPrecision(digits)))
    .filter((limit) => !isWhole || Number.isInteger(limit));
  return rounded.find((limit) => below < limit && limit <= above) ?? above;
}

/**
 * Returns the ascending limits of up to five classes. Values on both sides of zero get classes of equal width around
 * zero; values on one side get classes with about equally many values. Whole numbers get whole limits.
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

/** Returns the value that the map shows for a region; null if the value is unknown. */
function valueOf(measure: Selection['measure'], region: Region, total: number): number | null {
  const { count, change, population } = region;
  if (count === null) return null;
  if (measure === 'share') return total > 0 ? count / total : null;
  if (measure === 'rate') return population === null ? null : (count / population) * 1000;
  if (measure !== 'change') return count;
  return change === null || count === change ? null : change / (count - change);
}

/** Returns the map of a country's active entries on the last day of the selection, with its classes. */
export async function findMap(
  { readers: { db }, SUPPRESS_BELOW }: Pick<Context, 'readers' | 'SUPPRESS_BELOW'>,
  country_code: string,
  selection: Selection,
) {
  const { regions, ...counted } = await countRegions(db, country_code, selection);
  const total = regions.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const hide = (count: number | null) =>
    count !== null && isSmall(count, SUPPRESS_BELOW) ? null : count;
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
