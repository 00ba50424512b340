import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Db } from '../sql/connection/kysely.ts';
import type { SearchIndex } from './companies/search-index.ts';
import type { Environment } from './environment.ts';
import type { PaymentProvider } from './wallet/payment.ts';

/** The optional settings of the environment have a default. */
export interface AppOptions
  extends
    Pick<Environment, 'trustProxy' | 'searchCredits' | 'snapshotCredits'>,
    Partial<Pick<Environment, 'corsOrigins' | 'isRegistrationOpen' | 'freeMailDomains'>> {
  db: Db;
  searchIndex: SearchIndex;
  /** `/metrics` reads the tables through this pool, and counts its sessions. */
  pool?: Pool;
  logger: Logger;
  now: () => Date;
  /** Whether the process is about to end; `/readyz` then sends the balancer elsewhere. */
  isStopping?: () => boolean;
  /** Then a pending request gets a 503; default 3 seconds, 8 for requests that wait for other services. */
  deadline_ms?: number;
  /** Signs the one-time tokens; at least 32 characters. */
  secretKey: string;
  /** The address of the API for clients, without a slash at the end. */
  baseUrl: string;
  /** Undefined: nothing can be bought. */
  payment: PaymentProvider | undefined;
}
