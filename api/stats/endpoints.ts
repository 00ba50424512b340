import { sql, type Kysely } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../sql/tables/tables.ts';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { createSeries } from './series.ts';
import {
  chooseSource,
  common,
  countField,
  dateField,
  requireSource,
  sourceField,
  toNumber,
} from './source.ts';

const rangeDays = 30;

const dataFields = z.strictObject({
  new: countField,
  updated: countField,
  deleted: countField,
  total: countField,
});

interface Counts {
  new_count: string | null;
  updated_count: string | null;
  deleted_count: string | null;
}

function viewCounts(counts: Counts) {
  const data = {
    new: toNumber(counts.new_count),
    updated: toNumber(counts.updated_count),
    deleted: toNumber(counts.deleted_count),
  };
  return { ...data, total: data.new + data.updated + data.deleted };
}

function findDay(db: Kysely<Tables>, day: string, source: string | undefined) {
  return db
    .with('chosen', () => chooseSource(db, source))
    .selectFrom('chosen')
    .leftJoin('registry.daily_stat as stat', (join) =>
      join.onRef('stat.source', '=', 'chosen.source').on('stat.stat_date', '=', day),
    )
    .select(['chosen.source', 'stat.new_count', 'stat.updated_count', 'stat.deleted_count'])
    .select('stat.is_baseline')
    .executeTakeFirst();
}

function describeDay(day: string, isBaseline: boolean): string {
  return isBaseline
    ? `Baseline: the snapshot of ${day} is the first of its source. There is none to compare it with, so nothing counts as new, updated or deleted.`
    : `Registry entries that were new, updated or deleted in the snapshot of ${day}, compared with the snapshot before it.`;
}

// Spec: silent on how the path date is resolved; the range ends with it and has 30 days.
function firstDayOf(lastDay: string): string {
  const first = new Date(`${lastDay}T00:00:00Z`);
  first.setUTCDate(first.getUTCDate() - (rangeDays - 1));
  return first.toISOString().slice(0, 10);
}

function sumRange(db: Kysely<Tables>, lastDay: string, source: string | undefined) {
  const last = sql<string>`${lastDay}::date`;
  return db
    .with('chosen', () => chooseSource(db, source))
    .selectFrom('chosen')
    .leftJoin('registry.daily_stat as stat', (join) =>
      join
        .onRef('stat.source', '=', 'chosen.source')
        .on('stat.stat_date', '>', sql<string>`${last} - ${sql.lit(rangeDays)}`)
        .on('stat.stat_date', '<=', last),
    )
    .groupBy('chosen.source')
    .select((eb) => [
      'chosen.source',
      eb.fn.sum<string | null>('stat.new_count').as('new_count'),
      eb.fn.sum<string | null>('stat.updated_count').as('updated_count'),
      eb.fn.sum<string | null>('stat.deleted_count').as('deleted_count'),
      eb.fn.count<string>('stat.stat_date').as('days_with_data'),
    ])
    .executeTakeFirst();
}

function describeRange(firstDay: string, lastDay: string, days: number): string {
  if (days === 0) {
    return `No snapshot was published from ${firstDay} to ${lastDay}: the zeros stand for no data.`;
  }
  const snapshots = days === 1 ? 'the 1 daily snapshot' : `the ${days} daily snapshots`;
  return `Registry entries that were new, updated or deleted, summed over ${snapshots} from ${firstDay} to ${lastDay}; a baseline counts nothing.`;
}

interface StatsOptions {
  db: Kysely<Tables>;
  now: () => Date;
}

// What a past day counted does not change; a snapshot that is published late may still be missing.
function cacheControlOf(date: string, now: Date): string {
  return date < now.toISOString().slice(0, 10) ? 'public, max-age=3600' : 'no-cache';
}

/**
 * The public statistics, which share a limit of 10 requests a minute. (+) `?source=` chooses the
 * registry; (+) `meta.days_with_data` tells a quiet month from a missing one.
 */
export function statsEndpoints(options: StatsOptions): Endpoint[] {
  return [createDay(options), createRange(options), ...createSeries(options)];
}

function createDay({ db, now }: StatsOptions): Endpoint {
  const description = {
    ...common,
    path: '/stats/day/{date}',
    summary: 'Registry entries that were new, updated or deleted on one day',
    params: z.strictObject({ date: dateField('date') }),
    query: z.strictObject({ source: sourceField.optional() }),
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
    const stat = requireSource(await findDay(db, params.date, query.source), query.source);
    // Spec: silent on a day without a snapshot; zeros would claim that nothing had changed.
    if (stat.is_baseline === null) {
      const message = `No snapshot of ${stat.source} was published for ${params.date}.`;
      throw new HttpError(404, { message });
    }
    response.set('Cache-Control', cacheControlOf(params.date, now()));
    return {
      meta: {
        date: params.date,
        type: 'daily_snapshot',
        source: stat.source,
        description: describeDay(params.date, stat.is_baseline),
      },
      data: viewCounts(stat),
    };
  });
}

function createRange({ db, now }: StatsOptions): Endpoint {
  const description = {
    ...common,
    path: '/stats/range/{date}',
    summary: 'The sum of the 30 days that end with a date',
    params: z.strictObject({ date: dateField('date') }),
    query: z.strictObject({ source: sourceField.optional() }),
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
    errors: {
      404: {
        description: 'Nothing has been published at all.',
        example: { message: 'No snapshot has been published yet.' },
      },
    },
  } as const;
  return endpoint(description, async ({ params, query, response }) => {
    const stat = requireSource(await sumRange(db, params.date, query.source), query.source);
    const [from_date, to_date] = [firstDayOf(params.date), params.date];
    const days_with_data = toNumber(stat.days_with_data);
    response.set('Cache-Control', cacheControlOf(to_date, now()));
    return {
      meta: {
        from_date,
        to_date,
        source: stat.source,
        description: describeRange(from_date, to_date, days_with_data),
        days_with_data,
      },
      data: viewCounts(stat),
    };
  });
}
