import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { pathOf } from './errors.ts';

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
}

function levelOf(path: string): 'info' | 'debug' {
  return /^\/(healthz|readyz|metrics)$/.test(path) ? 'debug' : 'info';
}

declare module 'node:http' {
  interface ServerResponse {
    /** What made the answer a 5xx. */
    err?: Error;
  }
}

/**
 * Logs a line a request, under an id that the client may give and always gets back. Neither headers
 * nor the query nor the body are logged: they carry tokens and passwords.
 */
export function logRequests(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const id = requestIdOf(request);
    response.setHeader('X-Request-Id', id);
    const started_at = Date.now();
    // A socket that is closed has none.
    const address = request.ip;
    response.once('close', () => {
      const { statusCode: status, writableEnded } = response;
      const path = pathOf(request);
      const line = {
        req: { id, method: request.method, path, address },
        res: { status },
        responseTime: Date.now() - started_at,
      };
      if (status >= 500) {
        const err = response.err ?? new Error(`failed with status code ${status}`);
        logger.error({ ...line, err }, 'request errored');
      } else {
        const end = writableEnded ? 'request completed' : 'request aborted';
        logger[levelOf(path)](line, end);
      }
    });
    next();
  };
}
