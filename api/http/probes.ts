import type { Router } from 'express';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Readers } from '../../sql/connection/readers.ts';
import { HttpError, loading, onlyAllow } from './errors.ts';
import { createRouter } from './router.ts';

type Options = {
  db: Db;
  readers: Readers;
  searchIndex: { isReady(): Promise<boolean> };
  isStopping?: () => boolean;
};

/**
 * Serves `/healthz`, whether the process is alive, and `/readyz`, whether it can serve. Neither path has a rate
 * limit.
 */
export function createProbes({
  db,
  readers,
  searchIndex,
  isStopping = () => false,
}: Options): Router {
  const router = createRouter();
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
      let isWriterUp: boolean;
      try {
        // The query reads no row: it checks only that the tables exist and may be read.
        await readers.read((one) =>
          one.selectFrom('registry.daily_stat').select('stat_date').limit(0).execute(),
        );
        isWriterUp =
          (await readers.askWriter(() =>
            db
              .selectFrom(['customer.rate_limit', 'customer.token'])
              .select('limit_key')
              .limit(0)
              .execute(),
          )) !== undefined;
        isLoaded = await searchIndex.isReady();
      } catch (error) {
        response.locals.err = error;
        throw new HttpError(503, { message: 'The database does not answer as it should.' });
      }
      if (!isLoaded) throw loading();
      // Without the writer, public data can still be read, so that the balancer keeps the process.
      const states = readers.states();
      response.json({
        status: isWriterUp ? 'ok' : 'read-only',
        ...(states.length > 0 && { readers: states }),
      });
    })
    .all(onlyAllow('GET, HEAD'));
  return router;
}
