import { readFileSync } from 'node:fs';
import { CompiledQuery, sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { slugOf } from '../dictionaries/names.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { keep } from '../http/cached-read.ts';
import { findCodes, readSearchDictionary } from '../search/filter.ts';
import { type Dimension, dimensions, none, type Point, type SeriesQuery } from './series-fields.ts';

/** The maximum count of points in a grouped answer: 365 days of 85 groups take 1 to 2 s of the 3 s limit. */
const mostPoints = 30_000;

/** The parameter of `read_series.sql` for a dimension by which entries are grouped. */
const everyValue = '*';

/** Returns for each dimension a parameter of `read_series.sql`: null, a symbol, '' (no symbol) or `everyValue`. */
async function selectSymbols(db: Db, source: string, asked: SeriesQuery) {
  const readDictionary = keep(async () => {
    const country = sql<string>`registry.source_country(${source})`.as('country_code');
    const { country_code } = await db.selectNoFrom(country).executeTakeFirstOrThrow();
    const countries = await readSearchDictionary(db);
    return countries.filter((one) => one.country_code === country_code);
  });
  const problems: Problem[] = [];
  const selected = dimensions.map(async (dimension) => {
    const value = asked[dimension];
    if (value === undefined) return asked.group_by?.includes(dimension) ? everyValue : null;
    if (slugOf(value) === none) return '';
    const { codes, problem } = findCodes(dimension, value, await readDictionary());
    if (problem) problems.push(problem);
    return codes[0]?.split(' ')[1];
  });
  const symbols = await Promise.all(selected);
  if (problems.length > 0) throw invalid(problems);
  return symbols;
}

// The query is not prepared, since PostgreSQL's generic plan for a prepared query would take twice as long.
const query = readFileSync(new URL('../../sql/api/stats/read_series.sql', import.meta.url), 'utf8');

/** The counts of one group in one period, with the names of the group's region, section and legal form. */
type SeriesRow = Record<Dimension, string | null> & Omit<Point, 'group' | 'is_suppressed'>;

/** Returns stock and flows per period and group (day-and-range.ts: of 30 days). Throws a 422 for a wrong query. */
export async function readSeries(
  db: Db,
  source: string,
  asked: SeriesQuery,
  most = mostPoints,
): Promise<Omit<Point, 'is_suppressed'>[]> {
  const { by, from, to, group_by } = asked;
  const symbols = await selectSymbols(db, source, asked);
  const values = [source, by, from, to, ...symbols, group_by && most + 1];
  const { rows } = await db.executeQuery<SeriesRow>(CompiledQuery.raw(query, values));
  if (group_by && rows.length > most) {
    const message = `The group_by field gives more than ${most} points: ask for fewer days, for months or for fewer groups.`;
    throw invalid([['group_by', message, 'too_broad']]);
  }
  return rows.map(({ voivodeship, section, legal_form, ...point }) => {
    const names = { voivodeship, section, legal_form };
    const group = group_by?.map((dimension) => [dimension, names[dimension]]);
    return group ? { ...point, group: Object.fromEntries(group) as Point['group'] } : point;
  });
}
