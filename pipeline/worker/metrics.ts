import type { Server } from 'node:http';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { addRegistryMetrics } from '../../sql/metrics/registry.ts';
import { createRendering, openMetricsPort } from '../../sql/metrics/server.ts';

/** Serves Prometheus metrics at `/metrics`. Throws an `EnvironmentError` if the port cannot be opened. */
export function serveMetrics(
  pool: Pool,
  address: { host: string; port: number },
  process: 'worker' | 'schedule',
): Promise<Server> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addRegistryMetrics(registry, pool, process);
  return openMetricsPort(createRendering(registry), address);
}
