import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';

/**
 * Matches the beginning of an API token or of a signed token in a mail link (a JWT). Matches a percent sign too, since
 * percent-encoding may hide a token; no path of the API needs a percent sign.
 */
const secret = /(?i:sk_(live|api)_)|eyJ[\w-]{8}|%/;

function requestIdOf(request: Request): string {
  const given = request.headers['x-request-id'];
  const isFit = typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) && !secret.test(given);
  return isFit ? given : randomUUID();
}

/** Returns the path of a request for the log: without tokens, and without the query, which may contain a token. */
function pathOf({ originalUrl }: Request): string {
  const segments = originalUrl.split('?', 1)[0]!.split('/');
  return segments.map((segment) => (secret.test(segment) ? '[redacted]' : segment)).join('/');
}

/** Returns a middleware that logs one line per request, without headers, query and body, which may be secret. */
export function logRequests(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const id = requestIdOf(request);
    response.setHeader('X-Request-Id', id);
    const started_at = Date.now();
    // The client's address is read now, since it is unknown after the connection is closed.
    const address = request.ip;
    response.once('close', () => {
      const { statusCode: status, writableEnded, locals } = response;
      const { user_ref, token_ref } = (locals.caller ?? {}) as Record<string, unknown>;
      const path = pathOf(request);
      const line = {
        req: { id, method: request.method, path, address, user_ref, token_ref },
        res: { status },
        responseTime: Date.now() - started_at,
      };
      if (status >= 500) {
        const err: unknown = locals.err ?? new Error(`failed with status code ${status}`);
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
