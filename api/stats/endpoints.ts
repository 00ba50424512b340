import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/kysely.ts';
import type { AppOptions } from '../app.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { dateField } from '../http/field.ts';
import { HttpError } from '../http/errors.ts';
import { createSeries } from './series.ts';
import {
  cacheControlOf,
  chooseSource,
  common,
  countField,
  noSnapshotErrors,
  requireSource,
  sourceField,
} from './source.ts';

const [rangeDays, day_ms] = [30, 86_400_000];

const asked = {
  params: z.strictObject({ date: dateField('date') }),
  query: z.strictObject({ source: sourceField.optional() }),
};

const dataFields = z.strictObject({
  new: countField,
  updated: countField,
  deleted: countField,
  total: countField,
});

function describeDay(day: string, isBaseline: boolean): string {
  return isBaseline
    ? `Baseline: the snapshot of ${day} is the first of its source. There is none to compare it with, so nothing counts as new, updated or deleted.`
    : `Registry entries that were new, updated or deleted in the snapshot of ${day}, compared with the snapshot before it.`;
}

/** Sums up the days that end with one, and counts those that have a snapshot. */
async function sumDays(db: Db, lastDay: string, dayCount: number, sourceName?: string) {
  const last = sql<string>`${lastDay}::date`;
  const found = await db
    .with('chosen', () => chooseSource(db, sourceName))
    .selectFrom('chosen')
    .leftJoin('registry.daily_stat as stat', (join) =>
      join
        .onRef('stat.source', '=', 'chosen.source')
        .on('stat.stat_date', '>', sql<string>`${last} - ${sql.lit(dayCount)}`)
        .on('stat.stat_date', '<=', last),
    )
    .groupBy('chosen.source')
    .select([
      'chosen.source',
      sql<number>`count(stat_date)::int`.as('days_with_data'),
      sql<boolean | null>`bool_or(is_baseline)`.as('is_baseline'),
      sql<z.output<typeof dataFields>>`json_build_object(
        'new', coalesce(sum(new_count), 0),
        'updated', coalesce(sum(updated_count), 0),
        'deleted', coalesce(sum(deleted_count), 0),
        'total', coalesce(sum(new_count + updated_count + deleted_count), 0)
      )`.as('data'),
    ])
    .executeTakeFirst();
  return requireSource(found, sourceName);
}

function describeRange(firstDay: string, lastDay: string, days: number): string {
  if (days === 0) {
    return `No snapshot was published from ${firstDay} to ${lastDay}: the zeros stand for no data.`;
  }
  const snapshots = days === 1 ? 'the 1 daily snapshot' : `the ${days} daily snapshots`;
  return `Registry entries that were new, updated or deleted, summed over ${snapshots} from ${firstDay} to ${lastDay}; a baseline counts nothing.`;
}

/**
 * The public statistics, which share a limit of 10 requests a minute. (+) `?source=` chooses the
 * registry; (+) `meta.days_with_data` distinguishes a quiet month from a missing one.
 */
export function statsEndpoints(options: AppOptions): Endpoint[] {
  return [createDay(options), createRange(options), ...createSeries(options)];
}

function createDay({ db, now }: AppOptions): Endpoint {
  const description = {
    ...common,
    ...asked,
    path: '/stats/day/{date}',
    summary: 'Registry entries that were new, updated or deleted on one day',
    answer: z.strictObject({
      meta: z.strictObject({
        date: z.iso.date(),
        type: z.literal('daily_snapshot'),
        source: z.string(),
        description: z.string(),
      }),
      data: dataFields,
    }),
    example: {
      meta: {
        date: '2026-11-06',
        type: 'daily_snapshot',
        source: 'ceidg',
        description: describeDay('2026-11-06', false),
      },
      data: { new: 2, updated: 11, deleted: 3, total: 16 },
    },
    errors: {
      404: {
        description: 'No snapshot was published for that day.',
        example: { message: 'No snapshot of ceidg was published for 2026-11-06.' },
      },
    },
  } as const;
  return endpoint(description, async ({ params, query, response }) => {
    const { date } = params;
    const { source, is_baseline, data } = await sumDays(db, date, 1, query.source);
    // Spec: silent on a day without a snapshot; zeros would claim that nothing had changed.
    if (is_baseline === null) {
      throw new HttpError(404, { message: `No snapshot of ${source} was published for ${date}.` });
    }
    response.set('Cache-Control', cacheControlOf(date, now()));
    const text = describeDay(date, is_baseline);
    return { meta: { date, type: 'daily_snapshot', source, description: text }, data };
  });
}

function createRange({ db, now }: AppOptions): Endpoint {
  const description = {
    ...common,
    ...asked,
    path: '/stats/range/{date}',
    summary: 'The sum of the 30 days that end with a date',
    answer: z.strictObject({
      meta: z.strictObject({
        from_date: z.iso.date(),
        to_date: z.iso.date(),
        source: z.string(),
        description: z.string(),
        days_with_data: z.int().min(0).max(rangeDays),
      }),
      data: dataFields,
    }),
    example: {
      meta: {
        from_date: '2026-10-08',
        to_date: '2026-11-06',
        source: 'ceidg',
        description: describeRange('2026-10-08', '2026-11-06', 5),
        days_with_data: 5,
      },
      data: { new: 8, updated: 56, deleted: 9, total: 73 },
    },
    errors: noSnapshotErrors,
  } as const;
  return endpoint(description, async ({ params, query, response }) => {
    const to_date = params.date;
    // Spec: silent on how the path date is resolved; the range ends with it and has 30 days.
    const first = new Date(Date.parse(to_date) - (rangeDays - 1) * day_ms);
    const from_date = first.toISOString().slice(0, 10);
    const { source, days_with_data, data } = await sumDays(db, to_date, rangeDays, query.source);
    response.set('Cache-Control', cacheControlOf(to_date, now()));
    const text = describeRange(from_date, to_date, days_with_data);
    return { meta: { from_date, to_date, source, description: text, days_with_data }, data };
  });
}
