import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { countryField } from '../dictionaries/countries.ts';
import { dateField } from '../http/field.ts';
import { common, countField, sourceField } from './source.ts';

// The limit of requests is `limits.stats` of `../figures/rate-limits.ts`, which `common` names.
export const asked = {
  ...common,
  params: z.strictObject({ date: dateField }),
  query: z.strictObject({ source: sourceField.optional(), country: countryField }),
};

export const dataFields = z.strictObject({
  new: countField,
  updated: countField,
  deleted: countField,
  total: countField,
});

/** Returns the summed counts of `dayCount` days up to `lastDay`, and the number of days with a snapshot. */
export function sumDays(db: Db, source: string, lastDay: string, dayCount: number) {
  return db
    .selectFrom('analyst.daily_stat')
    .where('source', '=', source)
    .where('date', '>', sql<string>`${lastDay}::date - ${dayCount}::int`)
    .where('date', '<=', lastDay)
    .select([
      sql<number>`count(*)::int`.as('days_with_data'),
      sql<boolean | null>`bool_or(is_baseline)`.as('is_baseline'),
      sql<z.output<typeof dataFields>>`json_build_object(
        'new', coalesce(sum(new), 0),
        'updated', coalesce(sum(updated), 0),
        'deleted', coalesce(sum(deleted), 0),
        'total', coalesce(sum(total), 0)
      )`.as('data'),
    ])
    .executeTakeFirstOrThrow();
}
