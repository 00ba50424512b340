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

/** The symbols of a selection by dimension; '' selects the entries without. */
async function findSelected(db: Db, { voivodeship, section, legal_form }: SeriesQuery) {
  const { rows } = await sql<{ teryt: string | null; symbol: string | null }>`
    select
        (
            select teryt from registry.voivodeship
            where slug = registry.fold(${voivodeship ?? null}::text)
        ) as teryt,
        (
            select symbol from registry.legal_form_symbol
            where slug = registry.fold(${legal_form ?? null}::text)
        ) as symbol
  `.execute(db);
  const { teryt, symbol } = rows[0]!;
  const problems: Problem[] = [];
  const selected: Selected = {};
  const select = (dimension: Dimension, asked: string | undefined, symbolOf: string | null) => {
    if (asked === undefined) return;
    const isNone = asked.toLowerCase() === none;
    if (!isNone && symbolOf === null) problems.push([dimension, unknown[dimension]]);
    selected[dimension] = isNone ? '' : (symbolOf ?? '');
  };
  select('voivodeship', voivodeship, teryt);
  select('section', section, section ?? null);
  select('legal_form', legal_form, symbol);
  if (problems.length > 0) throw invalid(problems);
  return selected;
}

const unknown: Record<Dimension, string> = {
  voivodeship: 'The voivodeship field must be the name of a voivodeship.',
  section: 'The section field must be a section of the PKD 2025, A to V, or none.',
  legal_form: 'The legal_form field must be the slug of a legal form.',
};

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

/** Throws a 422 where the answer would have too many points. */
async function checkSize(
  db: Db,
  source: string,
  asked: SeriesQuery,
  selected: Selected,
  most: number,
): Promise<void> {
  const { rows } = await sql<{ points: number }>`
    select (
        (
            select count(*)
            from (
                select distinct ${cellOf(asked.group_by!, '')} from registry.stock_change
                where source = ${source} and ${isSelected(selected, '')}
            ) as cell
        ) * (
            select count(distinct date_trunc(${asked.by}, stat_date)) from registry.daily_stat
            where source = ${source} and ${inDays(asked)}
        )
    )::float8 as points
  `.execute(db);
  if (rows[0]!.points > most) {
    const message = `The group_by field gives more than ${most} points: ask for fewer days, for months or for fewer groups.`;
    throw invalid([['group_by', message]]);
  }
}

const inDays = ({ from, to }: SeriesQuery) => sql`
  stat_date between coalesce(${from}::date, '-infinity') and coalesce(${to}::date, 'infinity')`;

const flows =
  'new ended newly_suspended resumed returned moved_in moved_out recoded_in recoded_out'.split(' ');

type Row = Omit<Point, 'group' | 'is_suppressed'> & Required<Record<Dimension, string>>;

/**
 * The stock and the flows of a registry's entries, by snapshot or month. Throws a 422 for an unknown group,
 * and where groups would make more than `most` points.
 */
export async function readSeries(
  db: Db,
  source: string,
  asked: SeriesQuery,
  most = mostPoints,
): Promise<Omit<Point, 'is_suppressed'>[]> {
  const selected = await findSelected(db, asked);
  const { group_by: groups } = asked;
  if (groups) await checkSize(db, source, asked, selected, most);
  const [cell, oldCell, newCell] = (['', 'from_', 'to_'] as const).map((side) =>
    cellOf(groups ?? [], side),
  );
  const [left, entered] = [isSelected(selected, 'from_'), isSelected(selected, 'to_')];
  const period = sql`date_trunc(${asked.by}, stat_date)::date`;
  // The stock of a day is the sum of all changes up to it, also of those before `from`. Changes, moves and
  // points without any are put below each other and summed up: to join them takes many times as long. A move
  // within a group is none.
  const { rows } = await sql<Row>`
    with period as (
        select
            ${period} as date,
            bool_or(is_baseline) as is_baseline,
            bool_or(not is_baseline) as is_compared,
            bool_and(counts_moves) filter (where not is_baseline) as counts_moves,
            sum(days_covered)::float8 as days_covered,
            count(*)::float8 as days_with_data,
            ${asked.by === 'month'} and registry.is_partial_month(
                date_trunc('month', min(stat_date))::date,
                min(stat_date - days_covered),
                max(stat_date)
            ) as is_partial
        from registry.daily_stat
        where source = ${source} and ${inDays(asked)}
        group by 1
    ),

    changed (
        date, voivodeship, section, legal_form, active, suspended, deleted, new, ended, newly_suspended,
        resumed, returned
    ) as (
        select
            ${period},
            ${cell},
            sum(entry_change) filter (where status = 'ACTIVE'),
            sum(entry_change) filter (where status = 'SUSPENDED'),
            sum(entry_change) filter (where status = 'DELETED'),
            sum(new_count) filter (where ${inDays(asked)}),
            sum(ended_count) filter (where ${inDays(asked)}),
            sum(suspended_count) filter (where ${inDays(asked)}),
            sum(resumed_count) filter (where ${inDays(asked)}),
            sum(returned_count) filter (where ${inDays(asked)})
        from registry.stock_change
        where
            source = ${source}
            and stat_date <= coalesce(${asked.to}::date, 'infinity') and stat_date < 'infinity'
            and ${isSelected(selected, '')}
        group by 1, 2, 3, 4
    ),

    moved (date, voivodeship, section, legal_form, moved_in, moved_out, recoded_in, recoded_out) as (
        select
            ${period},
            side.voivodeship,
            side.section,
            side.legal_form,
            sum(entry_count) filter (where is_in and not is_recoded),
            sum(entry_count) filter (where not is_in and not is_recoded),
            sum(entry_count) filter (where is_in and is_recoded),
            sum(entry_count) filter (where not is_in and is_recoded)
        from registry.stock_move
        cross join lateral (
            values (${left}, false, ${oldCell}), (${entered}, true, ${newCell})
        ) as side (is_selected, is_in, voivodeship, section, legal_form)
        where
            source = ${source}
            and stat_date < 'infinity'
            and ${inDays(asked)}
            and is_selected
            and not (${left} and ${entered} and (${oldCell}) = (${newCell}))
        group by 1, 2, 3, 4
    ),

    known as (
        select voivodeship, section, legal_form from changed
        union
        select voivodeship, section, legal_form from moved
        union
        select '', '', '' where ${groups === undefined}
    ),

    summed as (
        select
            date, voivodeship, section, legal_form,
            json_build_object(
                'ACTIVE', sum(coalesce(sum(active), 0)) over past,
                'SUSPENDED', sum(coalesce(sum(suspended), 0)) over past,
                'DELETED', sum(coalesce(sum(deleted), 0)) over past
            ) as stock,
            ${sql.join(flows.map((flow) => sql`coalesce(sum(${sql.ref(flow)}), 0)::float8 as ${sql.ref(flow)}`))}
        from (
            select *, 0 as moved_in, 0 as moved_out, 0 as recoded_in, 0 as recoded_out from changed
            union all
            select
                date, voivodeship, section, legal_form, 0, 0, 0, 0, 0, 0, 0, 0,
                moved_in, moved_out, recoded_in, recoded_out
            from moved
            union all
            select date, voivodeship, section, legal_form, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
            from period
            cross join known
        ) as part
        group by date, voivodeship, section, legal_form
        window past as (partition by voivodeship, section, legal_form order by date)
    )

    select
        date, voivodeship, section, legal_form, stock,
        case when is_compared then new end as new,
        case when is_compared then ended end as ended,
        case when is_compared then newly_suspended end as suspended,
        case when is_compared then resumed end as resumed,
        is_baseline,
        case when counts_moves then new - returned end as births,
        case when counts_moves then returned end as returns,
        case when counts_moves then moved_in end as moved_in,
        case when counts_moves then moved_out end as moved_out,
        -- A dictionary moves sections on a day that an older version published, too.
        case when counts_moves then recoded_in when ${asked.by === 'day'} then nullif(recoded_in, 0) end
            as recoded_in,
        case when counts_moves then recoded_out when ${asked.by === 'day'} then nullif(recoded_out, 0) end
            as recoded_out,
        days_covered,
        days_with_data,
        is_partial
    from summed
    join period using (date)
    order by date, voivodeship, section, legal_form
  `.execute(db);
  const names = await readNames(db, groups);
  return rows.map(({ date, voivodeship, section, legal_form, ...rest }) => {
    if (!groups) return { date, ...rest };
    const cellValues = { voivodeship, section, legal_form };
    const group = groups.map((dimension) => {
      const value = cellValues[dimension];
      return [dimension, names.get(dimension + value) ?? (value || null)];
    });
    return { date, group: Object.fromEntries(group) as Point['group'], ...rest };
  });
}

/** What groups are called, by dimension and symbol. */
async function readNames(db: Db, groups: Dimension[] = []): Promise<Map<string, string>> {
  const { rows } = await sql<{ symbol: string; name: string }>`
    select 'voivodeship' || teryt as symbol, name from registry.voivodeship
    where ${groups.includes('voivodeship')}
    union all
    select 'legal_form' || symbol, slug from registry.legal_form_symbol
    where ${groups.includes('legal_form')}
  `.execute(db);
  return new Map(rows.map(({ symbol, name }) => [symbol, name]));
}
