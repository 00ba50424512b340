import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../sql/tables/tables.ts';
import { HttpError, invalid } from '../http/errors.ts';

// The year 0000 is in the pattern of ISO 8601, but not in the calendar of the database.
export function dateField(field: string) {
  return z.iso
    .date({ error: `The ${field} field must be a calendar date in the form YYYY-MM-DD.` })
    .refine((value) => !value.startsWith('0000'), {
      error: `The ${field} field must not be before 0001-01-01.`,
    });
}

const unknownSource = 'The source field must be the name of a source that has statistics.';

export const sourceField = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: unknownSource });

/** What the statistics say of themselves. */
export const common = {
  method: 'get',
  tag: 'Statistics',
  auth: 'none',
  limit: { name: 'stats', request_count: 10, window_ms: 60_000 },
  status: 200,
} as const;

export const countField = z.int().nonnegative();

/** A count of the database, whose integers JSON may not hold. */
export function toNumber(count: string | null): number {
  const value = Number(count ?? 0);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${count} is too large for a number`);
  return value;
}

// Spec: silent on the source that is counted; we take the one asked for, else the one with the
// longest history. An unknown one gives another source, by which `requireSource` tells it.
export function chooseSource(db: Kysely<Tables>, source: string | undefined) {
  let query = db.selectFrom('registry.daily_stat').select('source').groupBy('source');
  if (source !== undefined) query = query.orderBy((eb) => eb('source', '=', source), 'desc');
  return query
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .orderBy((eb) => eb.fn.min('stat_date'))
    .orderBy('source')
    .limit(1);
}

export function requireSource<Row extends { source: string }>(
  row: Row | undefined,
  source: string | undefined,
): Row {
  if (!row) throw new HttpError(404, { message: 'No snapshot has been published yet.' });
  if (source !== undefined && row.source !== source) throw invalid([['source', unknownSource]]);
  return row;
}
