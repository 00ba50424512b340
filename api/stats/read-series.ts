import { sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
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

interface DictionarySymbol {
  dimension: Dimension;
  symbol: string;
  name: string;
  is_asked: boolean | null;
  /** Of a section: the classification. */
  scheme: string | null;
}

/** The dictionaries of the dimensions: how they name each symbol, and whether a query asks for it. */
async function readSymbols(
  db: Db,
  source: string,
  asked: SeriesQuery,
): Promise<DictionarySymbol[]> {
  const [voivodeship, section, legal_form] = dimensions.map((name) => asked[name] ?? null);
  const { rows } = await sql<DictionarySymbol>`
    with own as materialized (
        select
            country_code,
            (array_agg(activity_scheme.name order by year desc))[1] as scheme
        from registry.country
        left join registry.activity_scheme using (country_code)
        where country_code = registry.source_country(${source})
        group by country_code
    )
    select
        'voivodeship' as dimension, code as symbol, name,
        registry.fold(${voivodeship}::text) in (slug, registry.fold(name)) as is_asked, null as scheme
    from registry.region join own using (country_code)
    union all
    select 'section', section, section, section = upper(${section}::text), scheme
    from registry.activity_section join own using (country_code)
    union all
    select 'legal_form', symbol, slug, slug = registry.fold(${legal_form}::text), null
    from registry.legal_form_symbol join own using (country_code)
    order by 1, 2
  `.execute(db);
  return rows;
}

/** Returns what `registry.series` takes of each dimension: null, a symbol, '' or `everyValue`. */
function selectSymbols(symbols: DictionarySymbol[], asked: SeriesQuery): (string | null)[] {
  const problems: Problem[] = [];
  const selected = dimensions.map((dimension) => {
    const value = asked[dimension];
    if (value === undefined) return asked.group_by?.includes(dimension) ? everyValue : null;
    const found = symbols.find((one) => one.dimension === dimension && one.is_asked);
    if (!found && value.toLowerCase() !== none)
      problems.push([dimension, wanted(dimension, symbols)]);
    return found?.symbol ?? '';
  });
  if (problems.length > 0) throw invalid(problems);
  return selected;
}

/** Returns the message for a value that no dictionary has. */
function wanted(dimension: Dimension, symbols: DictionarySymbol[]): string {
  if (dimension === 'voivodeship')
    return 'The voivodeship field must be the name of a voivodeship.';
  if (dimension === 'legal_form') return 'The legal_form field must be the slug of a legal form.';
  const sections = symbols.filter((one) => one.dimension === dimension);
  const [first, last] = [sections[0], sections.at(-1)];
  return `The section field must be a section of the ${first?.scheme}, ${first?.symbol} to ${last?.symbol}, or none.`;
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
  const symbols = await readSymbols(db, source, asked);
  const selected = selectSymbols(symbols, asked);
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
  const names = new Map(symbols.map(({ dimension, symbol, name }) => [dimension + symbol, name]));
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
