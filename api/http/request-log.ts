import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';

function requestIdOf(request: Request): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
}

const tokenInPath = /sk(?:_|%5f)(?:live|api)(?:_|%5f)[^/]*/gi;

/** The path without tokens and without the query, which can hold a one-time token. */
function pathOf({ originalUrl }: Request): string {
  return originalUrl.split('?', 1)[0]!.replaceAll(tokenInPath, '[redacted]');
}

/**
 * Logs one line per request, with the id that the client sent or a new one. Headers, query and body are
 * not logged: they carry tokens and passwords.
 */
export function logRequests(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const id = requestIdOf(request);
    response.setHeader('X-Request-Id', id);
    const started_at = Date.now();
    // A closed socket has no address.
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
        const err: unknown = response.locals.err ?? new Error(`failed with status code ${status}`);
        logger.error({ ...line, err }, 'request errored');
      } else {
        const end = writableEnded ? 'request completed' : 'request aborted';
        const level = /^\/(healthz|readyz|metrics)$/.test(path) ? 'debug' : 'info';
        logger[level](line, end);
      }
    });
    next();
  };
}
