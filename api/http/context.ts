import type { Logger } from 'pino';
import type { Bounds } from '../figures/account-limits.ts';
import type { Prices } from '../figures/prices-and-bonus.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Readers } from '../../sql/connection/readers.ts';
import type { Limiter } from './limiter.ts';

/** Counts the uses of API tokens after their requests. */
export interface Uses {
  /** Records a use of the token whose SHA-256 is `hash`, in 64 hexadecimal digits. */
  count(hash: string, used_at: Date, ip: string | null): void;
  /** Writes the recorded uses of tokens to the database; does nothing while the database is unavailable. */
  flush(): Promise<void>;
}

/** The options that all folders of `api/` share; a folder with further options declares its own type. */
export interface Context extends Bounds, Prices {
  /** The tables of customers on the primary server: accounts, tokens, limits, credits and watch lists. */
  db: Db;
  /** Separate sessions on the primary server for limits and tokens, so that slow statements do not delay them. */
  gate: Db;
  /** Reads the data of the registries from a standby or the primary server. */
  readers: Readers;
  /** The uses of tokens that are not yet written to the database. */
  uses: Uses;
  limiter: Limiter;
  logger: Logger;
  now: () => Date;
  /** The key that signs one-time tokens and unsubscribe links; it has at least 32 characters. */
  secretKey: string;
  /** Whether new accounts can be registered. */
  REGISTRATION_OPEN: boolean;
  /** Domains, as `normalizeDomain` returns them, whose addresses the operator excludes from registration. */
  FREE_MAIL_DOMAINS: string[];
  /** Whether webhooks may have private addresses, and addresses without TLS. */
  WEBHOOK_ALLOW_PRIVATE: boolean;
  /** Public counts from 1 to below this number are hidden (null); 0: no count is hidden. */
  SUPPRESS_BELOW: number;
}
