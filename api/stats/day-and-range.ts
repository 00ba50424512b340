import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { day_ms } from '../../sql/process/durations.ts';
import { countryField } from '../dictionaries/countries.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { dateField } from '../http/text-fields.ts';
import { cacheControlOf } from '../http/cache-control.ts';
import { chooseSource, common, countField, sourceField } from './source.ts';

const rangeDays = 30;

// The statistics of a day and of 30 days share the rate limit `stats` in `../figures/rate-limits.ts`.
const asked = {
  ...common,
  params: z.strictObject({ date: dateField }),
  query: z.strictObject({ source: sourceField.optional(), country: countryField }),
};

const counts = z.strictObject({
  new: countField,
  updated: countField,
  deleted: countField,
  total: countField,
});

/** Returns the sums of a registry's counts over `dayCount` days up to `lastDay`, and how many days have a snapshot. */
function sumDays(db: Db, source: string, lastDay: string, dayCount: number) {
  return db
    .selectFrom('analyst.daily_stat')
    .where('source', '=', source)
    .where('date', '>', sql<string>`${lastDay}::date - ${dayCount}::int`)
    .where('date', '<=', lastDay)
    .select([
      sql<number>`count(*)::int`.as('days_with_data'),
      sql<boolean | null>`bool_or(is_baseline)`.as('is_baseline'),
      sql<z.output<typeof counts>>`json_build_object(
        'new', coalesce(sum(new), 0),
        'updated', coalesce(sum(updated), 0),
        'deleted', coalesce(sum(deleted), 0),
        'total', coalesce(sum(total), 0)
      )`.as('data'),
    ])
    .executeTakeFirstOrThrow();
}

export const dayEndpoint = endpoint(
  {
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
      data: counts,
    }),
  },
  async ({ params: { date }, query, response, options: { readers, now } }) => {
    const source = await chooseSource(readers.db, query);
    const { is_baseline, data } = await sumDays(readers.db, source, date, 1);
    // Spec: silent on a day without a snapshot; we answer 404, since zeros would mean that nothing changed.
    if (is_baseline === null) {
      const message = `No snapshot of ${source} was published for ${date}.`;
      throw new HttpError(404, { message, code: 'NO_SNAPSHOT' });
    }
    response.set('Cache-Control', cacheControlOf(date, now()));
    const description = is_baseline
      ? `Baseline: the snapshot of ${date} is the first of its source. No snapshot precedes it, so nothing counts as new, updated or deleted.`
      : `Registry entries that were new, updated or deleted in the snapshot of ${date}, compared with the snapshot before it.`;
    return { meta: { date, type: 'daily_snapshot', source, description }, data };
  },
);

function describeRange(firstDay: string, lastDay: string, days: number): string {
  if (days === 0) {
    return `No snapshot was published from ${firstDay} to ${lastDay}: the zeros stand for no data.`;
  }
  const snapshots = days === 1 ? 'the 1 daily snapshot' : `the ${days} daily snapshots`;
  return `Registry entries that were new, updated or deleted, summed over ${snapshots} from ${firstDay} to ${lastDay}; a baseline counts nothing.`;
}

export const rangeEndpoint = endpoint(
  {
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
      data: counts,
    }),
  },
  async ({ params: { date: to_date }, query, response, options: { readers, now } }) => {
    // Spec: silent on whether the date in the path is the first or the last of the 30 days; we take it as the last day.
    const first = new Date(Date.parse(to_date) - (rangeDays - 1) * day_ms);
    const from_date = first.toISOString().slice(0, 10);
    const source = await chooseSource(readers.db, query);
    const { days_with_data, data } = await sumDays(readers.db, source, to_date, rangeDays);
    response.set('Cache-Control', cacheControlOf(to_date, now()));
    const description = describeRange(from_date, to_date, days_with_data);
    return { meta: { from_date, to_date, source, description, days_with_data }, data };
  },
);
