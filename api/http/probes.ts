import type { Router } from 'express';
import type { Context } from './context.ts';
import { loading, unavailable } from './errors.ts';
import { addRead, createRouter } from './router.ts';

interface Options extends Pick<Context, 'db' | 'readers'> {
  searchIndex: { isReady(): Promise<boolean> };
  isStopping?: () => boolean;
}

/** Serves `/healthz` (whether the process is alive) and `/readyz` (whether the process can serve requests). */
export function createProbes({ db, readers, searchIndex, isStopping }: Options): Router {
  const router = createRouter();
  addRead(router, '/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  addRead(router, '/readyz', async (_request, response) => {
    if (isStopping?.()) throw unavailable('The service is stopping.');
    let isLoaded: boolean;
    let isWriterUp: boolean;
    try {
      // With `limit 0`, these queries check only that the tables exist and may be read.
      await readers.read((one) =>
        one.selectFrom('analyst.daily_stat').select('date').limit(0).execute(),
      );
      const limits = db.selectFrom(['customer.rate_limit', 'customer.token']);
      const empty = limits.select('limit_key').limit(0);
      isWriterUp = (await readers.askWriter(() => empty.execute())) !== undefined;
      isLoaded = await searchIndex.isReady();
    } catch (error) {
      response.locals.err = error;
      throw unavailable('The database does not answer as it should.');
    }
    if (!isLoaded) throw loading();
    // Without the primary server the process is still ready, since standbys answer reads of public data.
    const states = readers.states();
    response.json({
      status: isWriterUp ? 'ok' : 'read-only',
      ...(states.length > 0 && { readers: states }),
    });
  });
  return router;
}
