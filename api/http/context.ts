import type { Logger } from 'pino';
import type { Bounds } from '../figures/account-limits.ts';
import type { Prices } from '../figures/prices-and-bonus.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Readers } from '../../sql/connection/readers.ts';
import type { Limiter } from './limiter.ts';

/** Counts the uses of tokens after their requests. */
export interface Uses {
  /** Notes a use of the token with this hash, 64 hexadecimal digits. */
  count(hash: string, used_at: Date, ip: string | null): void;
  /** Writes the noted uses to the database, if the writer answers; never fails. */
  flush(): Promise<void>;
}

/** The options that all rooms of the API share; a room that needs more declares them. */
export interface Context extends Bounds, Prices {
  /** The tables on the writer (the primary server): customers, their tokens, limits, credits and watch lists. */
  db: Db;
  /** Own sessions on the writer for limits and tokens, so that slow statements elsewhere do not delay them. */
  gate: Db;
  /** The data of the registries, on a standby or on the writer. */
  readers: Readers;
  /** The uses of tokens that are not counted yet. */
  uses: Uses;
  limiter: Limiter;
  logger: Logger;
  now: () => Date;
  /** The key that signs one-time tokens and unsubscribe links, of at least 32 characters. */
  secretKey: string;
  /** Whether accounts can be registered. */
  REGISTRATION_OPEN: boolean;
  /** More domains whose addresses cannot be registered, as `normalizeDomain` returns them. */
  FREE_MAIL_DOMAINS: string[];
  /** Whether webhooks may have private addresses, and addresses without TLS. */
  WEBHOOK_ALLOW_PRIVATE: boolean;
  /** The bound below which public counts from 1 on are shown as null; 0: all counts are shown. */
  SUPPRESS_BELOW: number;
}
