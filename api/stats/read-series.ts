import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { readLegalForms, readRegions, readSections, slugOf } from '../dictionaries/names.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { type Dimension, dimensions, none, type Point, type SeriesQuery } from './series-fields.ts';

/** The most points of an answer with groups: a year of 85 groups, which takes 1 to 2 s of the allowed 3 s. */
const mostPoints = 30_000;

/** The argument of `registry.series` for a dimension by which entries are grouped. */
const everyValue = '*';

/** A value of a dimension: its symbol, its name in an answer, and its names in a query. */
type Value = Record<'symbol' | 'name', string> & { words: string[] };

/** Returns the values of each dimension in the country of a registry. */
async function readValues(db: Db, source: string): Promise<Record<Dimension, Value[]>> {
  const country = sql<string>`registry.source_country(${source})`.as('country_code');
  const { country_code } = await db.selectNoFrom(country).executeTakeFirstOrThrow();
  const [regions, sections, legalForms] = await Promise.all([
    readRegions(db, country_code),
    readSections(db, country_code),
    readLegalForms(db, country_code),
  ]);
  return {
    voivodeship: regions.map(({ code, name, slug }) => {
      return { symbol: code, name, words: [slug, slugOf(name)] };
    }),
    section: sections.map(({ section: name }) => ({ symbol: name, name, words: [slugOf(name)] })),
    legal_form: legalForms.map(({ symbol, slug }) => ({ symbol, name: slug, words: [slug] })),
  };
}

/** Returns an argument of `registry.series` per dimension: null (any value), a symbol, '' (none) or `everyValue`. */
function selectSymbols(values: Record<Dimension, Value[]>, asked: SeriesQuery): (string | null)[] {
  const [first, last] = [values.section[0]?.symbol, values.section.at(-1)?.symbol];
  const wanted = {
    voivodeship: 'the name of a voivodeship',
    section: `a section from ${first} to ${last}, or none`,
    legal_form: 'the slug of a legal form',
  };
  const problems: Problem[] = [];
  const selected = dimensions.map((dimension) => {
    const value = asked[dimension];
    if (value === undefined) return asked.group_by?.includes(dimension) ? everyValue : null;
    const word = slugOf(value);
    const found = values[dimension].find(({ words }) => words.includes(word));
    if (!found && word !== none) {
      const message = `The ${dimension} field must be ${wanted[dimension]}.`;
      problems.push([dimension, message, 'unknown_value']);
    }
    return found?.symbol ?? '';
  });
  if (problems.length > 0) throw invalid(problems);
  return selected;
}

const flows = [
  ...(['new', 'ended', 'suspended', 'resumed', 'births', 'returns'] as const),
  ...(['moved_in', 'moved_out', 'recoded_in', 'recoded_out'] as const),
];

/** The counts of a group that changed in a period. A period without any change has one row, whose group is null. */
type SeriesRow = Record<Dimension, string | null> &
  Record<'active_stock' | 'suspended_stock' | 'deleted_stock', number> &
  Omit<Point, 'group' | 'stock' | 'is_suppressed'> & { is_compared: boolean };

const hasGroup = ({ section }: SeriesRow) => section !== null;

/** Returns the key of a row's group. Keys sort as groups do. */
const keyOf = (row: SeriesRow) => dimensions.map((one) => row[one]).join('\t');

function pointOf(row: SeriesRow) {
  const { voivodeship: _v, section: _s, legal_form: _f, is_compared: _c, ...counts } = row;
  const { active_stock: ACTIVE, suspended_stock: SUSPENDED, deleted_stock, ...rest } = counts;
  return { ...rest, stock: { ACTIVE, SUSPENDED, DELETED: deleted_stock } };
}

/**
 * Returns a point for each period and group. A group without changes keeps its stock, which TypeScript adds: SQL takes
 * twice as long for 80 groups and a year.
 */
function fillPoints(rows: SeriesRow[], groups: Map<string, Pick<Point, 'group'>>) {
  const stocks = new Map<string, Point['stock']>();
  return [...Map.groupBy(rows, ({ date }) => date).values()].flatMap((changes) => {
    const changed = new Map(changes.filter(hasGroup).map((row) => [keyOf(row), pointOf(row)]));
    const noFlow = flows.map((flow) => [flow, changes[0]!.is_compared ? 0 : null] as const);
    const unchanged = { ...pointOf(changes[0]!), ...Object.fromEntries(noFlow) };
    const noStock = { ACTIVE: 0, SUSPENDED: 0, DELETED: 0 };
    return [...groups].map(([key, group]) => {
      const point = changed.get(key) ?? { ...unchanged, stock: stocks.get(key) ?? noStock };
      stocks.set(key, point.stock);
      return { ...point, ...group };
    });
  });
}

/** Returns the stock and flows of a registry. Throws a 422 for an unknown value, and above `most` points of groups. */
export async function readSeries(
  db: Db,
  source: string,
  asked: SeriesQuery,
  most = mostPoints,
): Promise<Omit<Point, 'is_suppressed'>[]> {
  const values = await readValues(db, source);
  const selected = selectSymbols(values, asked);
  const { by, from, to, group_by } = asked;
  // A point has at most one row, so that more than `most` rows are too many points.
  const bound = group_by ? most + 1 : null;
  const { rows } = await sql<SeriesRow>`
    select * from registry.series(${source}, ${by}, ${from}, ${to}, ${sql.join(selected)}, ${bound})
  `.execute(db);
  const names = new Map(
    dimensions.flatMap((one) => values[one].map(({ symbol, name }) => [one + symbol, name])),
  );
  const changed = new Map(rows.filter(hasGroup).map((row) => [keyOf(row), row]));
  const sorted = [...changed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const groups = new Map(
    sorted.map(([key, row]) => {
      const group = group_by?.map((one) => [one, names.get(one + row[one]) ?? (row[one] || null)]);
      return [key, group ? { group: Object.fromEntries(group) as Point['group'] } : {}];
    }),
  );
  if (!group_by && groups.size === 0) groups.set('', {});
  const points = groups.size * new Set(rows.map(({ date }) => date)).size;
  if (group_by && (rows.length > most || points > most)) {
    const message = `The group_by field gives more than ${most} points: ask for fewer days, for months or for fewer groups.`;
    throw invalid([['group_by', message, 'too_broad']]);
  }
  return fillPoints(rows, groups);
}
