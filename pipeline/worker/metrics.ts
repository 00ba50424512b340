import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { addRegistryMetrics } from '../../sql/metrics/registry.ts';
import { WrongUsage } from '../errors.ts';

/** Serves `/metrics` of a worker, or of the schedule. Throws `WrongUsage` when the port cannot be opened. */
export async function serveMetrics(
  pool: Pool,
  address: { host: string; port: number },
  process: 'worker' | 'schedule',
): Promise<Server> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addRegistryMetrics(registry, pool, process);
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.setHeader('Content-Type', registry.contentType).end(text),
      () => response.writeHead(500).end(),
    );
  });
  try {
    await once(server.listen(address), 'listening');
  } catch (cause) {
    throw new WrongUsage(`METRICS_PORT cannot be had: ${(cause as Error).message}`, { cause });
  }
  return server;
}
