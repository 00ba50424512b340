import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type Request } from 'express';
import helmet from 'helmet';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import type { Tables } from '../sql/tables.ts';
import type { TrustProxy } from './environment.ts';
import {
  answerBy,
  answerError,
  answerUnknownRoute,
  HttpError,
  onlyAllow,
  pathOf,
  requireHost,
} from './http.ts';
import { createStatsRouter } from './stats.ts';

export interface AppOptions {
  db: Kysely<Tables>;
  logger: Logger;
  now: () => Date;
  trustProxy: TrustProxy;
  /** Whether the process is about to end; `/readyz` then sends the balancer elsewhere. */
  isStopping?: () => boolean;
  /** A request that is not answered by then gets a 503. */
  deadline_ms?: number;
}

/** The API as an express application, without a port: everything it needs comes in `options`. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', options.trustProxy);
  app.use(logRequests(options.logger));
  app.use(helmet());
  app.use(requireHost);
  app.use(answerBy(options.deadline_ms ?? 8_000));

  addProbes(app, options);
  app.use('/api/v1/stats', createStatsRouter(options));

  app.use(answerUnknownRoute);
  app.use(answerError);
  return app;
}

function addProbes(app: Express, { db, isStopping = () => false }: AppOptions): void {
  app
    .route('/healthz')
    .get((_request, response) => {
      response.json({ status: 'ok' });
    })
    .all(onlyAllow('GET, HEAD'));

  app
    .route('/readyz')
    .get(async (_request, response) => {
      if (isStopping()) throw new HttpError(503, { message: 'The service is stopping.' });
      try {
        await requireTables(db);
      } catch (error) {
        response.err = error instanceof Error ? error : new Error(String(error));
        throw new HttpError(503, { message: 'The database does not answer as it should.' });
      }
      response.json({ status: 'ok' });
    })
    .all(onlyAllow('GET, HEAD'));
}

// Reads no row: that the tables are there, and may be read, is all it asks.
async function requireTables(db: Kysely<Tables>): Promise<void> {
  await db
    .selectFrom(['registry.daily_stat', 'customer.rate_limit'])
    .select('stat_date')
    .limit(0)
    .execute();
}

function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
}

function levelOf(request: IncomingMessage, response: ServerResponse): 'error' | 'info' | 'debug' {
  if (response.statusCode >= 500) return 'error';
  return /^\/(healthz|readyz)$/.test(pathOf(request)) ? 'debug' : 'info';
}

// Neither headers nor the query are logged: they carry tokens.
function logRequests(logger: Logger) {
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
