import { Router, type RequestHandler } from 'express';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { addRegistryMetrics } from '../../sql/metrics/registry.ts';
import type { Tables } from '../../sql/tables/tables.ts';
import { onlyAllow } from './errors.ts';

const buckets_s = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Metrics {
  /** Times each request. */
  observe: RequestHandler;
  /** `/metrics`, in the format of Prometheus. */
  router: Router;
}

/**
 * What a process tells of itself, of its requests and of what the tables say. Requests are told apart by the template of
 * their route, never by their path, of which there are as many as clients think of.
 */
export function createMetrics({
  db,
  pool,
}: {
  db: Kysely<Tables>;
  pool?: Pool | undefined;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: buckets_s,
    registers: [registry],
  });

  const limited = new Counter({
    name: 'registry_rate_limit_hits_total',
    help: 'Requests that a rate limit refused.',
    labelNames: ['route'] as const,
    registers: [registry],
  });
  const refresh = addRegistryMetrics(registry, {
    read: async (text) => (await db.executeQuery(CompiledQuery.raw(text))).rows,
    pool,
  });

  const router = Router();
  router
    .route('/metrics')
    .get(async (_request, response) => {
      await refresh();
      response.type(registry.contentType).send(await registry.metrics());
    })
    .all(onlyAllow('GET, HEAD'));

  return { observe: observeBy(duration, limited), router };
}

function observeBy(
  duration: Histogram<'method' | 'route' | 'status'>,
  limited: Counter<'route'>,
): RequestHandler {
  return (request, response, next) => {
    const started_at = performance.now();
    response.once('close', () => {
      const route =
        (response.locals.path as string | undefined) ??
        (request.route as { path: string } | undefined)?.path ??
        'unknown';
      const labels = { method: request.method, route, status: response.statusCode };
      if (response.statusCode === 429) limited.inc({ route });
      duration.observe(labels, (performance.now() - started_at) / 1000);
    });
    next();
  };
}
