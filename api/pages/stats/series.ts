import type { Router } from 'express';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import { limits } from '../../figures.ts';
import { parse } from '../../endpoint/validate.ts';
import { onlyAllow } from '../../http/errors.ts';
import { createRouter } from '../../http/router.ts';
import { seriesQuery } from '../../stats/series-fields.ts';
import { findSeries } from '../../stats/series.ts';

/** What the page of the statistics draws at most. */
const mostPoints = 2000;

/**
 * `/stats/series` answers the page of the statistics as `GET /api/v1/stats/series` does, under a limit of
 * its own: a visitor who looks around leaves the ten requests a minute of the API alone.
 */
export function createSeriesRoute(options: Context): Router {
  const router = createRouter();
  const schema = z.object({ query: seriesQuery });
  router
    .route('/stats/series')
    .get(options.limiter.limitRequests(limits.statsPage), async ({ query }, response) => {
      const asked = await parse(schema, { query });
      response.json(await findSeries(options, asked.query, mostPoints));
    })
    .all(onlyAllow('GET, HEAD'));
  return router;
}
