import { Router, type RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { addRegistryMetrics } from '../../sql/metrics/registry.ts';
import type { AppOptions } from '../app.ts';
import { onlyAllow } from './errors.ts';

const buckets_s = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * `/metrics`, in the format of Prometheus: metrics of the process, of its requests and of the tables.
 * The label of a request is the template of its route, never its path: clients can invent any number
 * of paths.
 */
export function createMetrics({ db, pool }: AppOptions) {
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
  addRegistryMetrics(registry, db, pool);

  const router = Router();
  router
    .route('/metrics')
    .get(async (_request, response) => {
      response.type(registry.contentType).send(await registry.metrics());
    })
    .all(onlyAllow('GET, HEAD'));

  const observe: RequestHandler = (request, response, next) => {
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
  return { observe, router };
}
