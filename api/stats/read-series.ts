import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../sql/connection/kysely.ts';
import { invalid, type Problem } from '../http/errors.ts';
import {
  columns,
  type Dimension,
  dimensions,
  mostPoints,
  none,
  type Point,
  type SeriesQuery,
} from './series-fields.ts';

type Selected = Partial<Record<Dimension, string>>;

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

/** The symbols that are asked for, by dimension; '' selects the entries without. */
function selectSymbols(symbols: DictionarySymbol[], asked: SeriesQuery): Selected {
  const problems: Problem[] = [];
  const selected: Selected = {};
  for (const dimension of dimensions) {
    const value = asked[dimension];
    const found = symbols.find((one) => one.dimension === dimension && one.is_asked);
    if (value === undefined) continue;
    if (!found && value.toLowerCase() !== none)
      problems.push([dimension, wanted(dimension, symbols)]);
    selected[dimension] = found?.symbol ?? '';
  }
  if (problems.length > 0) throw invalid(problems);
  return selected;
}

/** What is wrong with a value that a dictionary does not have. */
function wanted(dimension: Dimension, symbols: DictionarySymbol[]): string {
  if (dimension === 'voivodeship')
    return 'The voivodeship field must be the name of a voivodeship.';
  if (dimension === 'legal_form') return 'The legal_form field must be the slug of a legal form.';
  const sections = symbols.filter((one) => one.dimension === dimension);
  const [first, last] = [sections[0], sections.at(-1)];
  return `The section field must be a section of the ${first?.scheme}, ${first?.symbol} to ${last?.symbol}, or none.`;
}

type Side = '' | 'from_' | 'to_';

const valueOf = (side: Side, dimension: Dimension) =>
  sql`coalesce(${sql.ref(side + columns[dimension])}, '')`;

/** Whether a row is in the selection. */
function isSelected(selected: Selected, side: Side): RawBuilder<unknown> {
  const conditions = dimensions
    .filter((dimension) => selected[dimension] !== undefined)
    .map((dimension) => sql`${valueOf(side, dimension)} = ${selected[dimension]}`);
  return sql`(${sql.join([sql`true`, ...conditions], sql` and `)})`;
}

/** The group of a row: three columns; '' in a dimension that is not asked for, or has no value. */
function cellOf(groups: Dimension[], side: Side): RawBuilder<unknown> {
  const values = dimensions.map((one) => (groups.includes(one) ? valueOf(side, one) : sql`''`));
  return sql.join(values);
}

/** The snapshots in a point. */
interface Period extends Pick<
  Point,
  'date' | 'is_baseline' | 'days_covered' | 'days_with_data' | 'is_partial'
> {
  last_date: string;
  is_compared: boolean;
}

const periodOf = (by: SeriesQuery['by']) =>
  by === 'day' ? sql`stat_date` : sql`date_trunc('month', stat_date)::date`;

async function readPeriods(db: Db, source: string, { by, from, to }: SeriesQuery) {
  const { rows } = await sql<Period>`
    select
        ${periodOf(by)} as date,
        max(stat_date) as last_date,
        bool_or(is_baseline) as is_baseline,
        bool_or(not is_baseline) as is_compared,
        sum(days_covered)::float8 as days_covered,
        count(*)::float8 as days_with_data,
        ${by === 'month'} and registry.is_partial_month(
            date_trunc('month', min(stat_date))::date,
            min(stat_date - days_covered),
            max(stat_date)
        ) as is_partial
    from registry.daily_stat
    where
        source = ${source}
        and stat_date >= coalesce(${from}::date, '-infinity')
        and stat_date <= coalesce(${to}::date, 'infinity')
    group by 1
    order by 1
  `.execute(db);
  return rows;
}

const noStock = { ACTIVE: 0, SUSPENDED: 0, DELETED: 0 };
const noFlow = { new: 0, ended: 0, suspended: 0, resumed: 0, returned: 0 };
const noMove = { moved_in: 0, moved_out: 0, recoded_in: 0, recoded_out: 0 };
const noChange = { ...noStock, ...noFlow, ...noMove };

/** What changed in the entries of a group; `date` is null for all that lies before `from`. */
type Change = typeof noChange & Record<Dimension, string> & { date: string | null };

/** The changes up to a day that are not zero, ordered by group; not more than `most`. */
async function readChanges(
  db: Db,
  source: string,
  asked: SeriesQuery,
  selected: Selected,
  last_date: string,
  most: number,
): Promise<Change[]> {
  const [cell, oldCell, newCell] = (['', 'from_', 'to_'] as const).map((side) =>
    cellOf(asked.group_by ?? [], side),
  );
  const [left, entered] = [isSelected(selected, 'from_'), isSelected(selected, 'to_')];
  const isAsked = sql`stat_date >= coalesce(${asked.from}::date, '-infinity')`;
  // A move within a group is none.
  const { rows } = await sql<Change>`
    select
        case when ${isAsked} then ${periodOf(asked.by)} end as date,
        voivodeship,
        section,
        legal_form,
        coalesce(sum(entry_change) filter (where status = 'ACTIVE'), 0)::float8 as "ACTIVE",
        coalesce(sum(entry_change) filter (where status = 'SUSPENDED'), 0)::float8 as "SUSPENDED",
        coalesce(sum(entry_change) filter (where status = 'DELETED'), 0)::float8 as "DELETED",
        sum(new_count)::float8 as new,
        sum(ended_count)::float8 as ended,
        sum(suspended_count)::float8 as suspended,
        sum(resumed_count)::float8 as resumed,
        sum(returned_count)::float8 as returned,
        coalesce(sum(move_count) filter (where is_in and not is_recoded), 0)::float8 as moved_in,
        coalesce(sum(move_count) filter (where not is_in and not is_recoded), 0)::float8 as moved_out,
        coalesce(sum(move_count) filter (where is_in and is_recoded), 0)::float8 as recoded_in,
        coalesce(sum(move_count) filter (where not is_in and is_recoded), 0)::float8 as recoded_out
    from (
        select
            stat_date, ${cell}, status, entry_change, new_count, ended_count, suspended_count,
            resumed_count, returned_count, 0, false, false
        from registry.stock_change
        where source = ${source} and ${isSelected(selected, '')}
        union all
        select
            stat_date, side.voivodeship, side.section, side.legal_form, status, 0, 0, 0, 0, 0, 0,
            entry_count, is_in, is_recoded
        from registry.stock_move
        cross join lateral (
            values (${left}, false, ${oldCell}), (${entered}, true, ${newCell})
        ) as side (is_selected, is_in, voivodeship, section, legal_form)
        where
            source = ${source}
            and ${isAsked}
            and is_selected
            and not (${left} and ${entered} and (${oldCell}) = (${newCell}))
    ) as change (
        stat_date, voivodeship, section, legal_form, status, entry_change, new_count, ended_count,
        suspended_count, resumed_count, returned_count, move_count, is_in, is_recoded
    )
    where stat_date <= ${last_date}
    group by 1, 2, 3, 4
    order by 2, 3, 4
    limit ${most}
  `.execute(db);
  return rows;
}

/** Returns the point of a period. A baseline has no flows. */
function pointOf(period: Period, change: typeof noChange) {
  const { last_date: _, is_compared, ...rest } = period;
  const compared = (count: number) => (is_compared ? count : null);
  return {
    ...rest,
    new: compared(change.new),
    ended: compared(change.ended),
    suspended: compared(change.suspended),
    resumed: compared(change.resumed),
    births: compared(change.new - change.returned),
    returns: compared(change.returned),
    moved_in: compared(change.moved_in),
    moved_out: compared(change.moved_out),
    recoded_in: compared(change.recoded_in),
    recoded_out: compared(change.recoded_out),
  };
}

/**
 * The stock and the flows of a registry's entries, by snapshot or month. Throws a 422 for an unknown group,
 * and where groups would make more than `most` points. The database sums up the changes that there are; the
 * points without a change are made here, which takes a fraction of the time.
 */
export async function readSeries(
  db: Db,
  source: string,
  asked: SeriesQuery,
  most = mostPoints,
): Promise<Omit<Point, 'is_suppressed'>[]> {
  const symbols = await readSymbols(db, source, asked);
  const selected = selectSymbols(symbols, asked);
  const periods = await readPeriods(db, source, asked);
  const last_date = periods.at(-1)?.last_date ?? '-infinity';
  const { group_by: groups } = asked;
  // A group has a change in each of its points, and one before them, at most.
  const bound = groups ? 2 * most + 1 : Number.MAX_SAFE_INTEGER;
  const changes = await readChanges(db, source, asked, selected, last_date, bound);
  const byCell = Map.groupBy(changes, (one) => dimensions.map((name) => one[name]).join());
  if (groups && (changes.length === bound || byCell.size * periods.length > most)) {
    const message = `The group_by field gives more than ${most} points: ask for fewer days, for months or for fewer groups.`;
    throw invalid([['group_by', message]]);
  }
  if (!groups && byCell.size === 0) byCell.set('', []);
  const names = new Map(symbols.map(({ dimension, symbol, name }) => [dimension + symbol, name]));
  const cells = [...byCell.values()].map((ofCell) => {
    const group = groups?.map((name) => {
      const symbol = ofCell[0]![name];
      return [name, names.get(name + symbol) ?? (symbol || null)];
    });
    return {
      byDate: new Map(ofCell.map((change) => [change.date, change])),
      group: group && { group: Object.fromEntries(group) as Point['group'] },
      stock: noStock,
    };
  });
  const grow = (cell: (typeof cells)[number], date: string | null) => {
    const change = cell.byDate.get(date) ?? noChange;
    cell.stock = {
      ACTIVE: cell.stock.ACTIVE + change.ACTIVE,
      SUSPENDED: cell.stock.SUSPENDED + change.SUSPENDED,
      DELETED: cell.stock.DELETED + change.DELETED,
    };
    return change;
  };
  for (const cell of cells) grow(cell, null);
  return periods.flatMap((period) =>
    cells.map((cell) => {
      const change = grow(cell, period.date);
      return { ...pointOf(period, change), stock: cell.stock, ...cell.group };
    }),
  );
}
