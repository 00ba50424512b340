import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { Tables } from '../sql/tables/tables.ts';
import { accountEndpoints } from './accounts/endpoints.ts';
import { alertEndpoints } from './monitor/alerts.ts';
import { createAuthentication } from './auth/authenticate.ts';
import { createCheckoutPages } from './wallet/checkout-page.ts';
import { companyEndpoints } from './companies/endpoints.ts';
import { createDocs } from './openapi/swagger.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { TrustProxy } from './environment.ts';
import { eventEndpoints } from './events/endpoints.ts';
import { answerBy, answerError, answerUnknownRoute, requireHost } from './http/errors.ts';
import { generalLimit, limitRequests } from './auth/rate-limit.ts';
import { createMetrics } from './http/metrics.ts';
import { basePath, mountEndpoints } from './http/mount.ts';
import { createDocument, documentEndpoint } from './openapi/document.ts';
import type { PaymentProvider } from './wallet/payment.ts';
import { createProbes } from './http/probes.ts';
import { createRecoveryPages } from './accounts/recovery-page.ts';
import { logRequests } from './http/request-log.ts';
import { statsEndpoints } from './stats/endpoints.ts';
import { tokenEndpoints } from './tokens/endpoints.ts';
import { createUnsubscribePages } from './monitor/unsubscribe-page.ts';
import { walletEndpoints } from './wallet/endpoints.ts';
import { watchlistEndpoints } from './monitor/endpoints.ts';
import { createWebhooks } from './wallet/webhooks.ts';

export interface AppOptions {
  db: Kysely<Tables>;
  logger: Logger;
  now: () => Date;
  trustProxy: TrustProxy;
  /** Whether the process is about to end; `/readyz` then sends the balancer elsewhere. */
  isStopping?: () => boolean;
  /** A request that is not answered by then gets a 503. */
  deadline_ms?: number;
  /** Signs the one-time tokens; at least 32 characters. */
  secretKey: string;
  /** Where the API is reached from outside, without a slash at the end. */
  baseUrl: string;
  /** Whether accounts can be registered; default true. */
  isRegistrationOpen?: boolean;
  payment: PaymentProvider;
  /** What a page of search results costs, in whole credits; 0: nothing. */
  searchCredits: number;
  /** What a snapshot of a company costs. */
  snapshotCredits: number;
}

// Nothing is upgraded to TLS: a page that is served without, as at localhost, could not load its files.
// What only browsers of long ago heed is left out too.
const security: HelmetOptions = {
  frameguard: { action: 'deny' },
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
    },
  },
};

// What the library says is the same each time: it is asked once.
function secure(options: HelmetOptions): RequestHandler {
  const headers = new Map<string, string>();
  const collector = { setHeader: headers.set.bind(headers), removeHeader: () => undefined };
  helmet(options)({} as Request, collector as unknown as Response, () => undefined);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** The API as an express application, without a port: everything it needs comes in `options`. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', options.trustProxy);
  const metrics = createMetrics();
  app.use(logRequests(options.logger));
  app.use(metrics.observe);
  app.use(secure(security));
  app.use(requireHost);
  app.use(answerBy(options.deadline_ms ?? 8_000));

  // What is asked for most comes first.
  const endpoints = listEndpoints(options);
  app.use(basePath, mountEndpoints(endpoints, options, createAuthentication(options)));
  app.use(createWebhooks(options));
  app.use(createProbes(options));
  app.use(metrics.router);
  app.use(createDocs());
  app.use(['/recover', '/checkout', '/unsubscribe'], limitRequests(options, generalLimit));
  app.use(createRecoveryPages(options));
  app.use(createCheckoutPages(options));
  app.use(createUnsubscribePages(options));

  app.use(answerUnknownRoute);
  app.use(answerError);
  return app;
}

/** Every endpoint, in the order of the specification. */
export function listEndpoints(options: AppOptions): Endpoint[] {
  const endpoints = [
    ...accountEndpoints(options),
    ...tokenEndpoints(options),
    ...walletEndpoints(options),
    ...companyEndpoints(options),
    ...watchlistEndpoints(options),
    ...eventEndpoints(options),
    ...alertEndpoints(options),
    ...statsEndpoints(options),
  ];
  endpoints.push(documentEndpoint(() => createDocument(endpoints, options.baseUrl)));
  return endpoints;
}
