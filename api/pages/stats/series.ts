import type { Router } from 'express';
import { z } from 'zod';
import type { Context } from '../../http/context.ts';
import { limits } from '../../figures.ts';
import { parse } from '../../endpoint/validate.ts';
import { onlyAllow } from '../../http/errors.ts';
import { createRouter } from '../../http/router.ts';
import { seriesQuery } from '../../stats/series-fields.ts';
import { findSeries } from '../../stats/series.ts';

/** The most points of a series that the page of the statistics draws. */
const mostPoints = 2000;

/**
 * Returns the route `/stats/series`, which answers the statistics page as `GET /api/v1/stats/series` answers. It
 * has its own limit, so that a visitor does not use up the API's ten requests a minute.
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
