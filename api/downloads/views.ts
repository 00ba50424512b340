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

/** The type of counts. */
const countType: number = types.builtins.INT8;

/** Of the whole country, and public as `GET /stats/day/{date}` too. */
const wholes = new Set<View>(['daily_stat']);

function rowsOf(view: View, date: string): string {
  const day = escapeLiteral(date);
  if (view === 'stock_daily') return `select * from registry.stock_of_day(${day})`;
  const all = `select * from analyst.${view}`;
  if (grains[view] === 'dictionary') return all;
  if (grains[view] === 'day') return `${all} where date = ${day}`;
  return `${all} where month = (date_trunc('month', ${day}::date + 1) - interval '1 month')::date`;
}

/**
 * The query of a file: always the same rows in the same order. A statistic has the column
 * `is_suppressed`: whether a count of 1 to `suppressBelow - 1` is null in the row.
 */
export async function queryOf(
  client: PoolClient,
  view: View,
  date: string,
  suppressBelow: number,
): Promise<string> {
  const rows = rowsOf(view, date);
  const { fields } = await client.query(`${rows} limit 0`);
  const order = fields.map((_, at) => at + 1).join(', ');
  if (grains[view] === 'dictionary') return `${rows} order by ${order}`;
  const counts: string[] = [];
  const columns = fields.map(({ name, dataTypeID }) => {
    const column = escapeIdentifier(name);
    const isCount = dataTypeID === countType && !name.startsWith('days_') && !wholes.has(view);
    if (!isCount) return column;
    const isSmall = `${column} > 0 and ${column} < ${suppressBelow}`;
    counts.push(`coalesce(${isSmall}, false)`);
    return `case when ${isSmall} then null else ${column} end as ${column}`;
  });
  const flag = `${counts.join(' or ') || 'false'} as is_suppressed`;
  return `select ${[...columns, flag].join(', ')} from (${rows}) as shown order by ${order}`;
}
