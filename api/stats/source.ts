import { z } from 'zod';
import type { Db } from '../../sql/connection/kysely.ts';
import { chooseCountry } from '../dictionaries/countries.ts';
import { limits } from '../figures/rate-limits.ts';
import { HttpError, invalid } from '../http/errors.ts';

const unknownSource = 'The source field must be the name of a source that has statistics.';

const noSnapshot = { message: 'No snapshot has been published yet.', code: 'NO_SNAPSHOT' } as const;

export const sourceField = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: unknownSource });

/** The part of an endpoint's description that is equal for all statistics endpoints. */
export const common = {
  method: 'get',
  tag: 'Statistics',
  auth: 'none',
  limit: limits.stats,
  errors: { 404: { description: 'No snapshot has been published.', example: noSnapshot } },
} as const;

export const countField = z.int().nonnegative();

/**
 * Returns the registry (`source`) that a request selects. Throws a 404 if no snapshot is published, and a 422 for an
 * unknown registry. Spec: silent on the default registry; we take the country's registry with the longest history.
 */
export async function chooseSource(
  db: Db,
  asked: { source?: string | undefined; country?: string | undefined },
): Promise<string> {
  let found = db.selectFrom('analyst.daily_stat').select('source').groupBy('source');
  // A request with `source` but without `country` may name a registry of any country.
  if (asked.source === undefined || asked.country !== undefined) {
    const { country_code } = await chooseCountry(db, asked.country);
    found = found.where('country_code', '=', country_code);
  }
  const rows = await found
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .orderBy((eb) => eb.fn.min('date'))
    .orderBy('source')
    .execute();
  const sources = rows.map(({ source }) => source);
  if (sources.length === 0) throw new HttpError(404, noSnapshot);
  const source = asked.source ?? sources[0]!;
  if (!sources.includes(source)) throw invalid([['source', unknownSource, 'unknown_value']]);
  return source;
}
