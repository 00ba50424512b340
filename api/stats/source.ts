import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { HttpError, invalid } from '../http/errors.ts';

const unknownSource = 'The source field must be the name of a source that has statistics.';

const noSnapshot = { message: 'No snapshot has been published yet.' };

export const sourceField = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: unknownSource });

/** What the descriptions of the statistics share. */
export const common = {
  method: 'get',
  tag: 'Statistics',
  auth: 'none',
  limit: { name: 'stats', request_count: 10, window_ms: 60_000 },
  errors: { 404: { description: 'Nothing has been published at all.', example: noSnapshot } },
} as const;

export const countField = z.int().nonnegative();

/**
 * Finds the source of a request. Throws a 404 when there is none yet, and a 422 for an unknown one.
 * Spec: silent on the source; we take the one of the query, else the one with the longest history.
 */
export async function chooseSource(db: Db, asked: string | undefined): Promise<string> {
  const found = await db
    .selectFrom('registry.daily_stat')
    .select('source')
    .groupBy('source')
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .orderBy((eb) => eb.fn.min('stat_date'))
    .orderBy('source')
    .execute();
  const sources = found.map(({ source }) => source);
  if (sources.length === 0) throw new HttpError(404, noSnapshot);
  const source = asked ?? sources[0]!;
  if (!sources.includes(source)) throw invalid([['source', unknownSource]]);
  return source;
}

/** The counts of a past day do not change, but its snapshot may be published late. */
export function cacheControlOf(date: string, now: Date): string {
  return date < now.toISOString().slice(0, 10) ? 'public, max-age=3600' : 'no-cache';
}
