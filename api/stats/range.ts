import { z } from 'zod';
import { day_ms } from '../../sql/process/durations.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { cacheControlOf, chooseSource } from './source.ts';
import { asked, dataFields, sumDays } from './sum-days.ts';

const rangeDays = 30;

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
      data: dataFields,
    }),
  },
  async ({ params: { date: to_date }, query, response, options: { readers, now } }) => {
    // Spec: silent on the role of the path's date; here it is the last of the range's 30 days.
    const first = new Date(Date.parse(to_date) - (rangeDays - 1) * day_ms);
    const from_date = first.toISOString().slice(0, 10);
    const source = await chooseSource(readers.db, query);
    const { days_with_data, data } = await sumDays(readers.db, source, to_date, rangeDays);
    response.set('Cache-Control', cacheControlOf(to_date, now()));
    const description = describeRange(from_date, to_date, days_with_data);
    return { meta: { from_date, to_date, source, description, days_with_data }, data };
  },
);
