import { Router } from 'express';
import type { Db } from '../../sql/connection/kysely.ts';
import { HttpError, loading, onlyAllow } from './errors.ts';

type Options = { db: Db; searchIndex: { isReady(): Promise<boolean> }; isStopping?: () => boolean };

/** `/healthz`: the process is alive. `/readyz`: the process can serve. Neither has a limit. */
export function createProbes({ db, searchIndex, isStopping = () => false }: Options): Router {
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
        // Reads no row: checks only that the tables exist and may be read.
        await db
          .selectFrom(['registry.daily_stat', 'customer.rate_limit', 'customer.token'])
          .select('stat_date')
          .limit(0)
          .execute();
        isLoaded = await searchIndex.isReady();
      } catch (error) {
        response.locals.err = error;
        throw new HttpError(503, { message: 'The database does not answer as it should.' });
      }
      if (!isLoaded) throw loading();
      response.json({ status: 'ok' });
    })
    .all(onlyAllow('GET, HEAD'));
  return router;
}
