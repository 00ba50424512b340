import type { RequestHandler } from 'express';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { addRegistryMetrics } from '../../sql/metrics/registry.ts';
import { createRendering } from '../../sql/metrics/server.ts';
import type { Context } from './context.ts';
import { isOfThisMachine } from './forwarded.ts';
import { addRead, createRouter } from './router.ts';

interface Options extends Pick<Context, 'readers' | 'now'> {
  pool?: Pool | undefined;
  searchIndex: { memory_bytes(): number };
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Returns the Prometheus metrics of the process, of its requests and, if `pool` is given, of the database tables
 * (sql/metrics/registry.ts). `router` serves `/metrics` only to programs on this machine. The label `route` of a
 * request is the template of its path, since the number of possible paths is unlimited.
 */
export function createMetrics({ pool, readers, searchIndex, now }: Options) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [registry],
  });
  const limited = new Counter({
    name: 'registry_rate_limit_hits_total',
    help: 'Requests that a rate limit refused.',
    labelNames: ['route'] as const,
    registers: [registry],
  });
  void new Gauge({
    name: 'registry_search_memory_bytes',
    help: 'Memory of the process that has the search index, which the API processes of a machine share.',
    registers: [registry],
    collect() {
      this.set(searchIndex.memory_bytes());
    },
  });
  if (pool) addRegistryMetrics(registry, pool, 'api', () => readers.states());

  const render = createRendering(registry, now);
  const router = createRouter();
  router.all('/metrics', (request, _response, next) => {
    next(isOfThisMachine(request) ? undefined : 'router');
  });
  addRead(router, '/metrics', async (_request, response) => {
    const { type, text } = await render();
    response.type(type).send(text);
  });

  const observe: RequestHandler = (request, response, next) => {
    const end = duration.startTimer({ method: request.method });
    response.once('close', () => {
      const route = (response.locals.path ?? request.route?.path ?? 'unknown') as string;
      if (response.statusCode === 429) limited.inc({ route });
      end({ route, status: response.statusCode });
    });
    next();
  };
  return { observe, render, router };
}
