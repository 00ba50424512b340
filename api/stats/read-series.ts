import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { dateField, patternField } from '../http/field.ts';
import { countField, sourceField } from './source.ts';

/** What entries are grouped and selected by; the columns of `registry.stock_change`. */
const columns = {
  voivodeship: 'voivodeship',
  section: 'activity_section',
  legal_form: 'legal_form',
} as const;

type Dimension = keyof typeof columns;

const dimensions = Object.keys(columns) as Dimension[];

/** The most points of an answer with groups. */
const mostPoints = 50_000;

/** In a query: the entries without a value. */
const none = 'none';

export const by = z.enum(['day', 'month']);

export const seriesQuery = z
  .strictObject({
    from: dateField('from')
      .meta({ description: 'The first day; default that of the first snapshot' })
      .optional(),
    to: dateField('to')
      .meta({ description: 'The last day; default that of the newest snapshot' })
      .optional(),
    by: by
      .meta({ description: 'One element a snapshot, or one a month that has snapshots' })
      .default('day'),
    source: sourceField
      .meta({ description: 'The registry; default the one with the longest history' })
      .optional(),
    voivodeship: z
      .string()
      .meta({
        description: 'Its name, with or without diacritics; `none`: entries without one',
        example: 'mazowieckie',
      })
      .optional(),
    section: patternField(
      /^([A-Va-v]|none)$/,
      'The section field must be a section of the PKD 2025, A to V, or none.',
      'The section of the PKD 2025 of the main activity; `none`: entries without one',
      'F',
    ).optional(),
    legal_form: z
      .string()
      .meta({
        description: 'Its slug; `none`: entries without one',
        example: 'spolka-z-ograniczona-odpowiedzialnoscia',
      })
      .optional(),
    group_by: z
      .string()
      .regex(/^(voivodeship|section|legal_form)(,(voivodeship|section|legal_form)){0,2}$/, {
        error: 'The group_by field must list voivodeship, section, legal_form, or some of them.',
      })
      .transform((text) => dimensions.filter((dimension) => text.split(',').includes(dimension)))
      .meta({
        type: 'string',
        description: `One element a snapshot or month and group, such as \`voivodeship,section\`; at most ${mostPoints} in an answer`,
        example: 'voivodeship',
      })
      .optional(),
  })
  .refine(({ from, to }) => !from || !to || from <= to, {
    path: ['to'],
    error: 'The to field must not be before from.',
  });

export type SeriesQuery = z.output<typeof seriesQuery>;

const flowField = countField.nullable();

export const point = z.strictObject({
  date: z.iso.date(),
  group: z
    .strictObject({
      voivodeship: z.string().nullable().optional(),
      section: z.string().nullable().optional().meta({ description: 'A section of the PKD 2025' }),
      legal_form: z.string().nullable().optional(),
    })
    .meta({ description: 'With `group_by`: what the entries have; null: nothing' })
    .optional(),
  stock: z.strictObject({ ACTIVE: flowField, SUSPENDED: flowField, DELETED: flowField }),
  new: flowField.meta({ description: 'Entries that came to stand; null: a baseline' }),
  ended: flowField.meta({ description: 'Entries that no longer stand' }),
  suspended: flowField.meta({ description: 'Entries that went from ACTIVE to SUSPENDED' }),
  resumed: flowField.meta({ description: 'Entries that went from SUSPENDED to ACTIVE' }),
  is_baseline: z.boolean(),
  births: flowField.meta({
    description:
      'New entries that the registry never had before; null: an older version did not count',
  }),
  returns: flowField.meta({
    description: 'New entries that the registry had before; new = births + returns',
  }),
  moved_in: flowField.meta({
    description: 'Standing entries that came from another voivodeship, section or form',
  }),
  moved_out: flowField.meta({ description: 'Standing entries that left for another one' }),
  recoded_in: flowField.meta({
    description: 'Standing entries that came from another section by recoding alone',
  }),
  recoded_out: flowField.meta({ description: 'Standing entries that left by recoding alone' }),
  days_covered: flowField.meta({
    description: 'Days since the snapshot before; by month the sum; null: a baseline',
  }),
  days_with_data: countField.meta({ description: 'Snapshots in the point' }),
  is_partial: z.boolean().meta({
    description:
      'By month: some days of the month are not compared. They lie before the snapshot that its first one is compared with, or after its last one, or outside `from` and `to`',
  }),
  is_suppressed: z.boolean().meta({
    description: 'Whether a count is null because the operator hides small ones',
  }),
});

export type Point = z.output<typeof point>;

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

/** The group of a row, as an array of its values. */
function cellOf(groups: Dimension[], side: Side): RawBuilder<unknown> {
  return sql`array[${sql.join(groups.map((dimension) => valueOf(side, dimension)))}]::text[]`;
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
        count(distinct ${cellOf(asked.group_by!, '')}) * (
            select count(distinct date_trunc(${asked.by}, stat_date))
            from registry.daily_stat
            where source = ${source} and ${inDays(asked)}
        )
    )::float8 as points
    from registry.stock_change
    where source = ${source} and ${isSelected(selected, '')}
  `.execute(db);
  if (rows[0]!.points > most) {
    const message = `The group_by field gives more than ${most} points: ask for fewer days, for months or for fewer groups.`;
    throw invalid([['group_by', message]]);
  }
}

const inDays = ({ from, to }: SeriesQuery) => sql`
  stat_date between coalesce(${from}::date, '-infinity') and coalesce(${to}::date, 'infinity')`;

/** The sum of a flow; null where a snapshot that is no baseline does not have it. */
const wholeSum = (flow: string) => sql`
  case
      when count(${sql.ref(flow)}) = count(*) filter (where not is_baseline)
          then sum(${sql.ref(flow)})::float8
  end as ${sql.ref(flow)}`;

const laterFlows = ['births', 'returns', 'moved_in', 'moved_out', 'recoded_in', 'recoded_out'];

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
  // The stock of a day is the sum of all changes up to it, also of those before `from`. The changes are
  // summed up before the join: a join of each of them takes more than twice as long. A move within a group
  // is none.
  const [cell, oldCell, newCell] = (['', 'from_', 'to_'] as const).map((side) =>
    cellOf(groups ?? [], side),
  );
  const [left, entered] = [isSelected(selected, 'from_'), isSelected(selected, 'to_')];
  const { rows } = await sql<Omit<Point, 'is_suppressed'> & { cell: string[] }>`
    with changed as (
        select
            stat_date,
            ${cell} as cell,
            sum(entry_change) filter (where status = 'ACTIVE') as active,
            sum(entry_change) filter (where status = 'SUSPENDED') as suspended,
            sum(entry_change) filter (where status = 'DELETED') as deleted,
            sum(new_count) as new,
            sum(returned_count) as returns,
            sum(ended_count) as ended,
            sum(suspended_count) as newly_suspended,
            sum(resumed_count) as resumed
        from registry.stock_change
        where source = ${source} and ${isSelected(selected, '')}
        group by 1, 2
    ),

    moved as (
        select
            stat_date,
            side.cell,
            sum(entry_count) filter (where is_in and not is_recoded) as moved_in,
            sum(entry_count) filter (where not is_in and not is_recoded) as moved_out,
            sum(entry_count) filter (where is_in and is_recoded) as recoded_in,
            sum(entry_count) filter (where not is_in and is_recoded) as recoded_out
        from registry.stock_move
        cross join lateral (
            values (${left}, false, ${oldCell}), (${entered}, true, ${newCell})
        ) as side (is_selected, is_in, cell)
        where
            source = ${source}
            and is_selected
            and not (${left} and ${entered} and ${oldCell} = ${newCell})
        group by 1, 2
    ),

    snapshot as (
        select
            stat_date,
            is_baseline,
            days_covered,
            cell,
            json_build_object(
                'ACTIVE', coalesce(sum(active) over past, 0),
                'SUSPENDED', coalesce(sum(changed.suspended) over past, 0),
                'DELETED', coalesce(sum(deleted) over past, 0)
            ) as stock,
            flow.*
        from registry.daily_stat
        cross join (
            select changed.cell from changed
            union
            select '{}' where ${groups === undefined}
        ) as known
        left join changed using (stat_date, cell)
        left join moved using (stat_date, cell)
        cross join lateral (
            select case when counts_moves and not is_baseline then 0 end as nobody
        ) as counted
        left join lateral (
            select
                coalesce(new, 0) as new,
                coalesce(ended, 0) as ended,
                coalesce(newly_suspended, 0) as suspended,
                coalesce(resumed, 0) as resumed,
                coalesce(new - changed.returns, 0) + nobody as births,
                coalesce(changed.returns, 0) + nobody as returns,
                coalesce(moved_in, nobody) as moved_in,
                coalesce(moved_out, nobody) as moved_out,
                coalesce(recoded_in, nobody) as recoded_in,
                coalesce(recoded_out, nobody) as recoded_out
        ) as flow on not is_baseline
        where source = ${source}
        window past as (partition by cell order by stat_date)
    )

    select
        date_trunc(${asked.by}, stat_date)::date as date,
        cell,
        (array_agg(stock order by stat_date desc))[1] as stock,
        sum(new)::float8 as new,
        sum(ended)::float8 as ended,
        sum(suspended)::float8 as suspended,
        sum(resumed)::float8 as resumed,
        bool_or(is_baseline) as is_baseline,
        ${sql.join(laterFlows.map(wholeSum))},
        sum(days_covered)::float8 as days_covered,
        count(*)::float8 as days_with_data,
        ${asked.by === 'month'} and registry.is_partial_month(
            date_trunc('month', min(stat_date))::date,
            min(stat_date - days_covered),
            max(stat_date)
        ) as is_partial
    from snapshot
    where ${inDays(asked)}
    group by 1, cell
    order by 1, cell
  `.execute(db);
  const names = await readNames(db, groups);
  return rows.map(({ date, cell: values, ...rest }) => {
    if (!groups) return { date, ...rest };
    const group = groups.map((dimension, at) => [
      dimension,
      names.get(dimension + values[at]!) ?? (values[at] || null),
    ]);
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
