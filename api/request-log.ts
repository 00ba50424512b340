import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { pathOf } from './http.ts';

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
}

function levelOf(request: IncomingMessage, response: ServerResponse): 'error' | 'info' | 'debug' {
  if (response.statusCode >= 500) return 'error';
  return /^\/(healthz|readyz|metrics)$/.test(pathOf(request)) ? 'debug' : 'info';
}

/**
 * Logs a line a request, under an id that the client may give and always gets back. Neither headers
 * nor the query nor the body are logged: they carry tokens and passwords.
 */
export function logRequests(logger: Logger) {
  return pinoHttp({
    logger,
    genReqId(request, response) {
      const id = requestIdOf(request);
      response.setHeader('X-Request-Id', id);
      return id;
    },
    customLogLevel: (request, response) => levelOf(request, response),
    wrapSerializers: false,
    serializers: {
      req: (request: Request) => ({
        id: request.id,
        method: request.method,
        path: pathOf(request),
        address: request.ip,
      }),
      res: (response: ServerResponse) => ({ status: response.statusCode }),
    },
  });
}
