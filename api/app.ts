import compression from 'compression';
import express, { type Express } from 'express';
import helmet from 'helmet';
import { accountEndpoints } from './accounts/endpoints.ts';
import type { DownloadOptions } from './downloads/files.ts';
import { createDownloads } from './downloads/routes.ts';
import { alertEndpoints } from './monitor/alerts.ts';
import { createCheckoutPages } from './wallet/checkout-page.ts';
import { searchEndpoint, type SearchOptions } from './companies/search.ts';
import { lookupEndpoint } from './companies/lookup.ts';
import { snapshotEndpoint } from './companies/snapshot.ts';
import { dictionaryEndpoints } from './dictionaries/lists.ts';
import { readEnums } from './dictionaries/names.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import type { Environment } from './environment.ts';
import { eventEndpoints } from './events/endpoints.ts';
import { answerBy } from './http/deadline.ts';
import { answerError, answerUnmatched, checkHead } from './http/errors.ts';
import { limits } from './figures/rate-limits.ts';
import { patience } from './figures/timeouts.ts';
import { dropPorts } from './http/forwarded.ts';
import { security } from './http/headers.ts';
import { basePath, mountEndpoints } from './endpoint/mount.ts';
import { createDocument, documentEndpoint } from './openapi/document.ts';
import { createCharging } from './wallet/charge.ts';
import { createDocs } from './pages/docs/docs.ts';
import { answerMissingPage, createPages, showFaults } from './pages/pages.ts';
import type { Metrics } from './http/metrics.ts';
import { createProbes } from './http/probes.ts';
import { createRecoveryPages } from './accounts/recovery-page.ts';
import { logRequests } from './http/request-log.ts';
import { qualityEndpoints } from './quality/nights.ts';
import { statsEndpoints } from './stats/endpoints.ts';
import { tokenEndpoints } from './tokens/endpoints.ts';
import { createUnsubscribePages } from './monitor/unsubscribe-page.ts';
import { walletEndpoints } from './wallet/balance-and-transactions.ts';
import type { PaymentOptions } from './wallet/payment.ts';
import { watchlistEndpoints } from './monitor/endpoints.ts';
import { webhookEndpoints } from './webhooks/endpoints.ts';
import { createWebhooks } from './wallet/stripe-webhooks.ts';

/** The options of the API: the settings from environment variables, and the options of every folder of `api/`. */
export type AppOptions = Environment &
  DownloadOptions &
  PaymentOptions &
  SearchOptions & {
    /** How much data is invented, which every page states; undefined: none. */
    sample?: 'all' | 'some' | undefined;
    /** Serves `/metrics`, and counts requests for the metrics. */
    metrics: Metrics;
    /** Returns whether the process is stopping; `/readyz` then answers 503, so load balancers send no new requests. */
    isStopping?: () => boolean;
    /** The time in ms after which an unanswered request gets a 503; default: the deadline of its path in `patience`. */
    deadline_ms?: number;
  };

/** Requests to these paths get a longer deadline, since they call other services or wait for a password hash. */
const patientPaths = ['/auth', '/account', '/wallet/topup']
  .map((path) => basePath + path)
  .concat('/recover');

export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', options.TRUST_PROXY);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Every page shows the operator's contact and the notice on invented data.
  const { CONTACT: contact } = options;
  const contactAddress = contact && (/^https?:/.test(contact) ? contact : `mailto:${contact}`);
  app.locals.site = { contactAddress, sample: options.sample };
  app.use(dropPorts);
  app.use(logRequests(options.logger));
  app.use(options.metrics.observe);
  app.use(helmet(security));
  app.use(checkHead);
  app.use('/downloads', answerBy(options.deadline_ms ?? patience.downloadAnswer_ms));
  app.use(patientPaths, answerBy(options.deadline_ms ?? patience.slowAnswer_ms));
  app.use(answerBy(options.deadline_ms ?? patience.answer_ms));

  const limitAddress = options.limiter.limitRequests(limits.general);
  const endpoints = listEndpoints(options);
  // `/webhooks/stripe` is mounted before `/webhooks/{webhook_ref}`, which would match the path `/webhooks/stripe` too.
  app.use(createWebhooks(options, limitAddress));
  app.use(basePath, mountEndpoints(endpoints, options));
  app.use(compression());
  app.use(createProbes(options));
  app.use(options.metrics.router);
  app.use(showFaults);
  app.use(createPages(options, limitAddress));
  app.use(createDownloads(options, limitAddress));
  app.use(createDocs(options.baseUrl, () => makeDocument(endpoints, options), limitAddress));
  app.use(['/recover', '/checkout', '/unsubscribe'], limitAddress);
  app.use(createRecoveryPages(options));
  app.use(createCheckoutPages(options));
  app.use(createUnsubscribePages(options));

  app.use(limitAddress, answerMissingPage, answerUnmatched);
  app.use(answerError);
  return app;
}

/** Returns all endpoints of the API, in the order of the specification. */
export function listEndpoints(options: AppOptions): Endpoint[] {
  const charge = createCharging(options);
  const endpoints = [
    ...accountEndpoints,
    ...tokenEndpoints,
    ...walletEndpoints(options),
    searchEndpoint(options, charge),
    snapshotEndpoint(options, charge),
    lookupEndpoint,
    ...watchlistEndpoints(options),
    ...eventEndpoints,
    ...alertEndpoints,
    ...webhookEndpoints,
    ...statsEndpoints,
    ...qualityEndpoints,
    ...dictionaryEndpoints,
  ];
  endpoints.push(documentEndpoint(() => makeDocument(endpoints, options)));
  return endpoints;
}

async function makeDocument(endpoints: Endpoint[], { readers: { db } }: AppOptions) {
  return createDocument(endpoints, await readEnums(db));
}
