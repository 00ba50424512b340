import { z } from 'zod';
import { endpoint } from '../endpoint/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { cacheControlOf, chooseSource } from './source.ts';
import { asked, dataFields, sumDays } from './sum-days.ts';

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
      data: dataFields,
    }),
  },
  async ({ params: { date }, query, response, options: { readers, now } }) => {
    const source = await chooseSource(readers.db, query);
    const { is_baseline, data } = await sumDays(readers.db, source, date, 1);
    // Spec: silent on a day without a snapshot; zeros would claim that nothing changed.
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
