import { escapeIdentifier, escapeLiteral, type PoolClient, types } from 'pg';

/**
 * The database views that may be downloaded. A file contains the rows of one day, of the newest month that is complete
 * on that day, or of a whole dictionary. Views of companies and entries are excluded, since they contain personal data.
 */
const grains = {
  daily_stat: 'day',
  event_daily: 'day',
  flow_daily: 'day',
  stock_daily: 'day',
  flow_monthly: 'month',
  month: 'month',
  activity: 'dictionary',
  activity_group: 'dictionary',
  activity_section: 'dictionary',
  event_type: 'dictionary',
  legal_form: 'dictionary',
  population: 'dictionary',
  voivodeship: 'dictionary',
} as const;

export type View = keyof typeof grains;

/** The downloadable views, in the order in which the page `/downloads` shows them. */
export const views = Object.entries(grains).map(([view, grain]) => ({ view: view as View, grain }));

export function isView(name: string): name is View {
  return Object.hasOwn(grains, name);
}

/** Inserts the column `flag` (`is_suppressed`) before the last column, `country_code`, of a statistics file. */
export function placeFlag<Column>(columns: Column[], flag: Column): Column[] {
  return columns.toSpliced(-1, 0, flag);
}

/** The OID of the PostgreSQL type of columns with counts (`bigint`). */
const countType: number = types.builtins.INT8;

function rowsOf(view: View, date: string, countries: string[]): string {
  const day = escapeLiteral(date);
  const codes = countries.map((code) => escapeLiteral(code)).join(', ');
  const ofCountries = `country_code in (${codes})`;
  // The dictionary of event types has no column `country_code`, since all countries share it.
  if (view === 'event_type') return `select * from analyst.${view}`;
  // The dictionaries in the schema `analyst` have the rows of only one country, so the query reads other views.
  if (grains[view] === 'dictionary')
    return `select * from registry.shown_${view} where ${ofCountries}`;
  if (view === 'stock_daily')
    return `select * from registry.stock_of_day(${day}) where ${ofCountries}`;
  const all = `select * from analyst.${view} where ${ofCountries} and`;
  if (grains[view] === 'day') return `${all} date = ${day}`;
  return `${all} month = (date_trunc('month', ${day}::date + 1) - interval '1 month')::date`;
}

/** Returns the query for the rows of a file, in a fixed order. `is_suppressed` is true in rows with a hidden count. */
export async function queryOf(
  client: PoolClient,
  { view, date, countries }: { view: View; date: string; countries: string[] },
  SUPPRESS_BELOW: number,
): Promise<string> {
  const rows = rowsOf(view, date, countries);
  const { fields } = await client.query(`${rows} limit 0`);
  const order = fields.map((_, at) => at + 1).join(', ');
  if (grains[view] === 'dictionary') return `${rows} order by ${order}`;
  const counts: string[] = [];
  const columns = fields.map(({ name, dataTypeID }) => {
    const column = escapeIdentifier(name);
    // Small counts of `daily_stat` stay visible, since `GET /stats/day/{date}` publishes the same counts.
    const isCount = dataTypeID === countType && !name.startsWith('days_') && view !== 'daily_stat';
    if (!isCount) return column;
    const isSmall = `${column} > 0 and ${column} < ${SUPPRESS_BELOW}`;
    counts.push(`coalesce(${isSmall}, false)`);
    return `case when ${isSmall} then null else ${column} end as ${column}`;
  });
  const flag = `${counts.join(' or ') || 'false'} as is_suppressed`;
  return `select ${placeFlag(columns, flag).join(', ')} from (${rows}) as shown order by ${order}`;
}
