import { Router } from 'express';
import type { Kysely } from 'kysely';
import type { Tables } from '../../sql/tables/tables.ts';
import type { SearchIndex } from '../companies/search-index.ts';
import { HttpError, onlyAllow } from './errors.ts';

interface ProbeOptions {
  db: Kysely<Tables>;
  searchIndex: SearchIndex;
  isStopping?: () => boolean;
}

/** `/healthz` says that the process lives, `/readyz` that it can serve; neither has a limit. */
export function createProbes({ db, searchIndex, isStopping = () => false }: ProbeOptions): Router {
  const router = Router();
  router
    .route('/healthz')
    .get((_request, response) => {
      response.json({ status: 'ok' });
    })
    .all(onlyAllow('GET, HEAD'));

  router
    .route('/readyz')
    .get(async (_request, response) => {
      if (isStopping()) throw new HttpError(503, { message: 'The service is stopping.' });
      let isLoaded: boolean;
      try {
        await requireTables(db);
        isLoaded = await searchIndex.isReady();
      } catch (error) {
        response.err = error instanceof Error ? error : new Error(String(error));
        throw new HttpError(503, { message: 'The database does not answer as it should.' });
      }
      if (!isLoaded) {
        const message = 'The companies are being loaded for the search.';
        throw new HttpError(503, { message }, { 'Retry-After': '2' });
      }
      response.json({ status: 'ok' });
    })
    .all(onlyAllow('GET, HEAD'));
  return router;
}

// Reads no row: that the tables are there, and may be read, is all it asks.
async function requireTables(db: Kysely<Tables>): Promise<void> {
  await db
    .selectFrom(['registry.daily_stat', 'customer.rate_limit', 'customer.token'])
    .select('stat_date')
    .limit(0)
    .execute();
}
