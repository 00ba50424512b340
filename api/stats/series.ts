import type { Response } from 'express';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Context } from '../http/context.ts';
import { endpoint, type Endpoint } from '../endpoint/endpoint.ts';
import { dateField, patternField } from '../http/field.ts';
import { invalid, type Problem } from '../http/errors.ts';
import { cacheControlOf, chooseSource, common, countField, sourceField } from './source.ts';

const by = z.enum(['day', 'month']);

const query = z
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
      .meta({ description: 'Its name, with or without diacritics', example: 'mazowieckie' })
      .optional(),
    section: patternField(
      /^[A-Va-v]$/,
      'The section field must be a section of the PKD 2025, A to V.',
      'The section of the PKD 2025 of the main activity',
      'F',
    ).optional(),
    legal_form: z
      .string()
      .meta({ description: 'Its slug', example: 'spolka-z-ograniczona-odpowiedzialnoscia' })
      .optional(),
  })
  .refine(({ from, to }) => !from || !to || from <= to, {
    path: ['to'],
    error: 'The to field must not be before from.',
  });

type SeriesQuery = z.output<typeof query>;

const point = z.strictObject({
  date: z.iso.date(),
  stock: z.strictObject({ ACTIVE: countField, SUSPENDED: countField, DELETED: countField }),
  new: countField,
  ended: countField,
  suspended: countField,
  resumed: countField,
  is_baseline: z.boolean(),
});

type Point = z.output<typeof point>;

const answer = z.strictObject({ by, source: z.string(), series: z.array(point) });

const example: z.output<typeof answer> = {
  by: 'day',
  source: 'ceidg',
  series: [
    {
      date: '2026-11-06',
      stock: { ACTIVE: 123, SUSPENDED: 4, DELETED: 7 },
      new: 5,
      ended: 1,
      suspended: 2,
      resumed: 0,
      is_baseline: false,
    },
  ],
};

/** The symbols of a selection; null: all. */
async function findGroup(db: Db, { voivodeship, legal_form }: SeriesQuery) {
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
  const group = rows[0]!;
  const problems: Problem[] = [];
  if (voivodeship !== undefined && group.teryt === null)
    problems.push(['voivodeship', 'The voivodeship field must be the name of a voivodeship.']);
  if (legal_form !== undefined && group.symbol === null)
    problems.push(['legal_form', 'The legal_form field must be the slug of a legal form.']);
  if (problems.length > 0) throw invalid(problems);
  return group;
}

// The stock of a day is the sum of all changes up to it, also of those before `from`. The changes are
// summed up before the join: a join of each of them takes more than twice as long.
async function readSeries(db: Db, source: string, asked: SeriesQuery): Promise<Point[]> {
  const { teryt, symbol } = await findGroup(db, asked);
  const { rows } = await sql<Point>`
    with changed as (
        select
            stat_date,
            sum(entry_change) filter (where status = 'ACTIVE') as active,
            sum(entry_change) filter (where status = 'SUSPENDED') as suspended,
            sum(entry_change) filter (where status = 'DELETED') as deleted,
            sum(new_count) as new,
            sum(ended_count) as ended,
            sum(suspended_count) as newly_suspended,
            sum(resumed_count) as resumed
        from registry.stock_change
        where
            source = ${source}
            and (${teryt}::text is null or voivodeship = ${teryt})
            and (${asked.section}::text is null or activity_section = ${asked.section})
            and (${symbol}::text is null or legal_form = ${symbol})
        group by stat_date
    ),

    snapshot as (
        select
            *,
            json_build_object(
                'ACTIVE', coalesce(sum(active) over past, 0),
                'SUSPENDED', coalesce(sum(suspended) over past, 0),
                'DELETED', coalesce(sum(deleted) over past, 0)
            ) as stock
        from registry.daily_stat
        left join changed using (stat_date)
        where source = ${source}
        window past as (order by stat_date)
    )

    select
        date_trunc(${asked.by}, stat_date)::date as date,
        (array_agg(stock order by stat_date desc))[1] as stock,
        coalesce(sum(new), 0)::float8 as new,
        coalesce(sum(ended), 0)::float8 as ended,
        coalesce(sum(newly_suspended), 0)::float8 as suspended,
        coalesce(sum(resumed), 0)::float8 as resumed,
        bool_or(is_baseline) as is_baseline
    from snapshot
    where stat_date between coalesce(${asked.from}::date, '-infinity')
        and coalesce(${asked.to}::date, 'infinity')
    group by 1
    order by 1
  `.execute(db);
  return rows;
}

const csvHeader =
  'date,stock_active,stock_suspended,stock_deleted,new,ended,suspended,resumed,is_baseline';

// Dates, numbers and truth values: nothing needs a quote. The columns have the order of the fields.
function writeCsv(series: Point[]): string {
  const lines = series.map(({ date, stock, ...rest }) =>
    [date, ...Object.values(stock), ...Object.values(rest)].join(','),
  );
  return [csvHeader, ...lines, ''].join('\n');
}

/**
 * (+) Stock and flows of the entries of a registry, by snapshot or by month. Days without a snapshot
 * are absent. As CSV by `Accept: text/csv`, or by the ending of the path.
 */
export function createSeries({ db, now }: Pick<Context, 'db' | 'now'>): Endpoint[] {
  const shared = { ...common, query };
  const read = async (asked: SeriesQuery, response: Response) => {
    const source = await chooseSource(db, asked.source);
    const series = await readSeries(db, source, asked);
    if (asked.to !== undefined) response.set('Cache-Control', cacheControlOf(asked.to, now()));
    return { by: asked.by, source, series };
  };
  return [
    endpoint(
      {
        ...shared,
        path: '/stats/series',
        summary: 'How many entries stand, and what flowed, by day or month',
        description:
          'Days without a snapshot are absent, so that a chart shows gaps. With `Accept: text/csv` the answer is that of `/stats/series.csv`.',
        answer,
        example,
        csvExample: writeCsv(example.series),
      },
      async ({ query: asked, request, response }) => {
        const found = await read(asked, response);
        response.vary('Accept');
        // A client that accepts both equally gets JSON.
        if (request.accepts(['json', 'csv']) !== 'csv') return found;
        response.type('csv');
        return writeCsv(found.series);
      },
    ),
    endpoint(
      {
        ...shared,
        path: '/stats/series.csv',
        summary: 'The same series as CSV',
        answer: z.string(),
        mediaType: 'text/csv',
        example: writeCsv(example.series),
      },
      async ({ query: asked, response }) => {
        const { series } = await read(asked, response);
        response.type('csv');
        return writeCsv(series);
      },
    ),
  ];
}
