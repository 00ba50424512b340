import type { Logger } from 'pino';
import type { Bounds } from '../figures/account-limits.ts';
import type { Prices } from '../figures/prices-and-bonus.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Readers } from '../../sql/connection/readers.ts';
import type { Limiter } from './limiter.ts';

/** Counts for each token the requests that are sent with it. */
export interface Uses {
  /** Counts a request with the token whose SHA-256 is `hash`, in 64 hexadecimal digits. */
  count(hash: string, used_at: Date, ip: string | null): void;
  /** Writes the counts of requests to the database; during an outage of the database the counts stay in memory. */
  flush(): Promise<void>;
}

/** The options that all folders of `api/` use; a folder with further options declares a type of its own. */
export interface Context extends Bounds, Prices {
  /** Access to the customers' tables on the primary server: accounts, tokens, credits, watch lists and webhooks. */
  db: Db;
  /** Separate sessions on the primary server for rate limits and token checks, which slow statements must not delay. */
  gate: Db;
  /** Reads data of the registries from a standby or from the primary server. */
  readers: Readers;
  /** The counter of the requests of each token. */
  uses: Uses;
  limiter: Limiter;
  logger: Logger;
  now: () => Date;
  /** The key that signs one-time tokens and unsubscribe links; it has at least 32 characters. */
  secretKey: string;
  /** Whether new accounts can be registered. */
  REGISTRATION_OPEN: boolean;
  /** Domains (in the form of `normalizeDomain`) whose mail addresses the operator excludes from registration. */
  FREE_MAIL_DOMAINS: string[];
  /** Whether a webhook may have a private address, or an address without TLS. */
  WEBHOOK_ALLOW_PRIVATE: boolean;
  /** Public counts from 1 to `SUPPRESS_BELOW` - 1 are shown as null; with 0, no count is hidden. */
  SUPPRESS_BELOW: number;
}
