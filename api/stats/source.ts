import { z } from 'zod';
import type { Db } from '../../sql/kysely.ts';
import { HttpError, invalid } from '../http/errors.ts';

const unknownSource = 'The source field must be the name of a source that has statistics.';

export const sourceField = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: unknownSource });

/** What the descriptions of the statistics share. */
export const common = {
  method: 'get',
  tag: 'Statistics',
  auth: 'none',
  limit: { name: 'stats', request_count: 10, window_ms: 60_000 },
} as const;

export const countField = z.int().nonnegative();

// Spec: silent on the source; we take the one of the query, else the one with the longest history. For
// an unknown source this finds another one, and `requireSource` refuses it.
export function chooseSource(db: Db, source = '') {
  return db
    .selectFrom('registry.daily_stat')
    .select('source')
    .groupBy('source')
    .orderBy((eb) => eb('source', '=', source), 'desc')
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .orderBy((eb) => eb.fn.min('stat_date'))
    .orderBy('source')
    .limit(1);
}

/** The counts of a past day do not change, but its snapshot may be published late. */
export function cacheControlOf(date: string, now: Date): string {
  return date < now.toISOString().slice(0, 10) ? 'public, max-age=3600' : 'no-cache';
}

const noSnapshot = { message: 'No snapshot has been published yet.' };

/** The errors of statistics that need only some snapshot. */
export const noSnapshotErrors = {
  404: { description: 'Nothing has been published at all.', example: noSnapshot },
};

export function requireSource<Row extends { source: string }>(
  row: Row | undefined,
  source: string | undefined,
): Row {
  if (!row) throw new HttpError(404, noSnapshot);
  if (source !== undefined && row.source !== source) throw invalid([['source', unknownSource]]);
  return row;
}
