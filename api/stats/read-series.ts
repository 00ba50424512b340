import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { readLegalForms, readRegions, readSections, slugOf } from '../dictionaries/names.ts';
import { invalid, type Problem } from '../http/errors.ts';
import {
  type Dimension,
  dimensions,
  mostPoints,
  none,
  type Point,
  type SeriesQuery,
} from './series-fields.ts';

/** The value of a dimension whose values make the groups, for `registry.series`. */
const everyValue = '*';

/** A value of a dimension: its symbol, its name in an answer, and what names it in a query. */
type Value = Record<'symbol' | 'name', string> & { words: string[] };

/** Returns the values of each dimension in the country of a registry. */
async function readValues(db: Db, source: string): Promise<Record<Dimension, Value[]>> {
  const { rows } = await sql<{ country_code: string }>`
    select registry.source_country(${source}) as country_code
  `.execute(db);
  const { country_code } = rows[0]!;
  const [regions, sections, legalForms] = await Promise.all([
    readRegions(db, country_code),
    readSections(db, country_code),
    readLegalForms(db, country_code),
  ]);
  return {
    voivodeship: regions.map(({ code, name, slug }) => {
      return { symbol: code, name, words: [slug, slugOf(name)] };
    }),
    section: sections.map(({ section }) => {
      return { symbol: section, name: section, words: [slugOf(section)] };
    }),
    legal_form: legalForms.map(({ symbol, slug }) => ({ symbol, name: slug, words: [slug] })),
  };
}

/** Returns what a value of a dimension has to be, for the 422. */
function describeWanted(dimension: Dimension, known: Value[]): string {
  if (dimension === 'voivodeship') return 'the name of a voivodeship';
  if (dimension === 'legal_form') return 'the slug of a legal form';
  return `a section from ${known[0]?.symbol} to ${known.at(-1)?.symbol}, or none`;
}

/** Returns what `registry.series` takes of each dimension: null, a symbol, '' or `everyValue`. */
function selectSymbols(values: Record<Dimension, Value[]>, asked: SeriesQuery): (string | null)[] {
  const problems: Problem[] = [];
  const selected = dimensions.map((dimension) => {
    const value = asked[dimension];
    if (value === undefined) return asked.group_by?.includes(dimension) ? everyValue : null;
    const [known, word] = [values[dimension], slugOf(value)];
    const found = known.find(({ words }) => words.includes(word));
    if (!found && word !== none) {
      const wanted = describeWanted(dimension, known);
      problems.push([dimension, `The ${dimension} field must be ${wanted}.`]);
    }
    return found?.symbol ?? '';
  });
  if (problems.length > 0) throw invalid(problems);
  return selected;
}

type SeriesRow = Record<Dimension, string> &
  Record<'active_stock' | 'suspended_stock' | 'deleted_stock', number> &
  Omit<Point, 'group' | 'stock' | 'is_suppressed'>;

/**
 * Returns the stock and the flows of a registry's entries, by snapshot or month. Throws a 422 for an unknown
 * group, and where groups would make more than `most` points.
 */
export async function readSeries(
  db: Db,
  source: string,
  asked: SeriesQuery,
  most = mostPoints,
): Promise<Omit<Point, 'is_suppressed'>[]> {
  const values = await readValues(db, source);
  const selected = selectSymbols(values, asked);
  const { by, from, to, group_by: groups } = asked;
  const { rows } = await sql<SeriesRow>`
    select * from registry.series(
        ${source}, ${by}, ${from}, ${to}, ${sql.join(selected)}, ${groups ? most : null}
    )
  `.execute(db);
  if (groups && rows.length > most) {
    const message = `The group_by field gives more than ${most} points: ask for fewer days, for months or for fewer groups.`;
    throw invalid([['group_by', message]]);
  }
  const names = new Map(
    dimensions.flatMap((one) => values[one].map(({ symbol, name }) => [one + symbol, name])),
  );
  return rows.map((row) => {
    const { date, voivodeship, section, legal_form, ...counts } = row;
    const { active_stock, suspended_stock, deleted_stock, ...flows } = counts;
    const stock = { ACTIVE: active_stock, SUSPENDED: suspended_stock, DELETED: deleted_stock };
    if (!groups) return { date, stock, ...flows };
    const cell = { voivodeship, section, legal_form };
    const group = groups.map((one) => [one, names.get(one + cell[one]) ?? (cell[one] || null)]);
    return { date, group: Object.fromEntries(group) as Point['group'], stock, ...flows };
  });
}
