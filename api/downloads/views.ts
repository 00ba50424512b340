import { escapeIdentifier, escapeLiteral, type PoolClient, types } from 'pg';

/**
 * The views that may be downloaded, each with the content of its file for a day: rows of the day, rows of the last
 * month that ended by then, or a whole dictionary. Views of companies and entries are missing: they hold persons.
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

/** The views that may be downloaded, in the order in which the page shows them. */
export const views = Object.entries(grains).map(([view, grain]) => ({ view: view as View, grain }));

export function isView(name: string): name is View {
  return Object.hasOwn(grains, name);
}

/** Returns the columns of a statistic's file, in which `is_suppressed` precedes the last column, `country_code`. */
export function placeFlag<Column>(columns: Column[], flag: Column): Column[] {
  return columns.toSpliced(-1, 0, flag);
}

/** The Postgres type of counts, as an OID. */
const countType: number = types.builtins.INT8;

function rowsOf(view: View, date: string, countries: string[]): string {
  const day = escapeLiteral(date);
  const codes = countries.map((code) => escapeLiteral(code)).join(', ');
  const ofCountries = `country_code in (${codes})`;
  // All countries share one dictionary of event types.
  if (view === 'event_type') return `select * from analyst.${view}`;
  // The views of the schema analyst hold the dictionaries of one country only.
  if (grains[view] === 'dictionary')
    return `select * from registry.shown_${view} where ${ofCountries}`;
  if (view === 'stock_daily')
    return `select * from registry.stock_of_day(${day}) where ${ofCountries}`;
  const all = `select * from analyst.${view} where ${ofCountries} and`;
  if (grains[view] === 'day') return `${all} date = ${day}`;
  return `${all} month = (date_trunc('month', ${day}::date + 1) - interval '1 month')::date`;
}

/** Returns the query of a file, whose rows always have the same order. `is_suppressed` marks a hidden count. */
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
    // Small counts of `daily_stat` are shown, since `GET /stats/day/{date}` publishes these counts, too.
    const isCount = dataTypeID === countType && !name.startsWith('days_') && view !== 'daily_stat';
    if (!isCount) return column;
    const isSmall = `${column} > 0 and ${column} < ${SUPPRESS_BELOW}`;
    counts.push(`coalesce(${isSmall}, false)`);
    return `case when ${isSmall} then null else ${column} end as ${column}`;
  });
  const flag = `${counts.join(' or ') || 'false'} as is_suppressed`;
  return `select ${placeFlag(columns, flag).join(', ')} from (${rows}) as shown order by ${order}`;
}
