import type { AccountOptions } from './accounts/endpoints.ts';
import type { DownloadOptions } from './downloads/routes.ts';
import type { SearchOptions } from './companies/search.ts';
import type { Environment } from './environment.ts';
import type { Metrics } from './http/metrics.ts';
import type { PaymentOptions } from './wallet/payment.ts';

/** The options of all rooms of the API. Optional settings of the environment have a default. */
export interface AppOptions
  extends
    AccountOptions,
    DownloadOptions,
    PaymentOptions,
    SearchOptions,
    Pick<Environment, 'trustProxy' | 'snapshotCredits'>,
    Partial<Pick<Environment, 'corsOrigins' | 'privacyText' | 'termsText' | 'contact'>> {
  /** The invented part of the data, which each page names; absent: no data is invented. */
  sample?: 'all' | 'some' | undefined;
  /** The content of `/metrics`, and the middleware that counts requests for these metrics. */
  metrics: Metrics;
  /** Returns whether the process is about to end; then `/readyz` fails, so that the balancer uses other processes. */
  isStopping?: () => boolean;
  /** The time in ms after which a pending request gets a 503; default: the patience of its path. */
  deadline_ms?: number;
  /** The address of the API for clients, without a slash at the end. */
  baseUrl: string;
}
