import { escapeIdentifier, escapeLiteral, type PoolClient, types } from 'pg';

/**
 * The views that may be downloaded, and which rows the file of a day has: those of the day, those of the
 * newest month that was over on the day, or all rows of a dictionary. Views of companies and entries hold
 * persons, and are what is sold: only `registry export` gives them.
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

/** In the order in which the page shows them. */
export const views = Object.entries(grains).map(([view, grain]) => ({ view: view as View, grain }));

export function isView(name: string): name is View {
  return Object.hasOwn(grains, name);
}

/** The last column of a statistic: files had `is_suppressed` before there was more than one country. */
export const last = 'country_code';

/** The type of counts. */
const countType: number = types.builtins.INT8;

/** Of the whole country, and public as `GET /stats/day/{date}` too. */
const wholes = new Set<View>(['daily_stat']);

/** The dictionary that all countries share. */
const shared = 'event_type';

function rowsOf(view: View, date: string, countries: string[]): string {
  const day = escapeLiteral(date);
  const codes = countries.map((code) => escapeLiteral(code)).join(', ');
  const ofCountries = `country_code in (${codes})`;
  if (view === shared) return `select * from analyst.${view}`;
  // The views of analysts hold the dictionaries of one country.
  if (grains[view] === 'dictionary')
    return `select * from registry.shown_${view} where ${ofCountries}`;
  if (view === 'stock_daily')
    return `select * from registry.stock_of_day(${day}) where ${ofCountries}`;
  const all = `select * from analyst.${view} where ${ofCountries} and`;
  if (grains[view] === 'day') return `${all} date = ${day}`;
  return `${all} month = (date_trunc('month', ${day}::date + 1) - interval '1 month')::date`;
}

/**
 * The query of a file: always the same rows in the same order. A statistic has the column
 * `is_suppressed`: whether a count of 1 to `suppressBelow - 1` is null in the row.
 */
export async function queryOf(
  client: PoolClient,
  { view, date, countries }: { view: View; date: string; countries: string[] },
  suppressBelow: number,
): Promise<string> {
  const rows = rowsOf(view, date, countries);
  const { fields } = await client.query(`${rows} limit 0`);
  const order = fields.map((_, at) => at + 1).join(', ');
  if (grains[view] === 'dictionary') return `${rows} order by ${order}`;
  const counts: string[] = [];
  const columns = fields.map(({ name, dataTypeID }) => {
    if (name === last) return [];
    const column = escapeIdentifier(name);
    const isCount = dataTypeID === countType && !name.startsWith('days_') && !wholes.has(view);
    if (!isCount) return [column];
    const isSmall = `${column} > 0 and ${column} < ${suppressBelow}`;
    counts.push(`coalesce(${isSmall}, false)`);
    return [`case when ${isSmall} then null else ${column} end as ${column}`];
  });
  const flag = `${counts.join(' or ') || 'false'} as is_suppressed`;
  return `select ${[...columns.flat(), flag, last].join(', ')} from (${rows}) as shown order by ${order}`;
}
