import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { EnvironmentError } from '../process/environment.ts';

/** Returns the metrics as text in the format of Prometheus, and its media type. */
export type Rendering = () => Promise<{ type: string; text: string }>;

const longestAge_ms = 1_000;

/** The number of requests per second that are answered without a delay. */
const mostPrompt = 10;

/**
 * Returns a function that renders metrics at most once a second. The first ten requests of a second get the same text
 * at once; each further request in this second gets the text a second later. The delay prevents a client that repeats
 * its requests without a pause from using up the processor.
 */
export function createRendering(registry: Registry, now = () => new Date()): Rendering {
  let rendered_ms = -Infinity;
  let rendering: ReturnType<Rendering> | undefined;
  let count = 0;
  return async () => {
    const asked_ms = now().getTime();
    if (!rendering || Math.abs(asked_ms - rendered_ms) >= longestAge_ms) {
      rendered_ms = asked_ms;
      count = 0;
      rendering = registry.metrics().then((text) => ({ type: registry.contentType, text }));
    }
    const asked = rendering;
    count += 1;
    if (count > mostPrompt) await delay(longestAge_ms);
    return asked;
  };
}

/** Serves `/metrics` of a process by HTTP. Throws an `EnvironmentError` if the port METRICS_PORT cannot be opened. */
export async function openMetricsPort(
  render: Rendering,
  address: { host: string; port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    render().then(
      ({ type, text }) => response.setHeader('Content-Type', type).end(text),
      () => response.writeHead(500).end(),
    );
  });
  try {
    await once(server.listen(address), 'listening');
  } catch (cause) {
    const { message } = cause as Error;
    throw new EnvironmentError(`METRICS_PORT cannot be had: ${message}`, { cause });
  }
  return server;
}
