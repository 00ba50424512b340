import type { Logger } from 'pino';
import type { Bounds } from '../figures.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Readers } from '../../sql/connection/readers.ts';
import type { Limiter } from './limiter.ts';

/** Counts uses of tokens after their requests. */
export interface Uses {
  /** Notes a use of the token with this hash, 64 hexadecimal digits. */
  count(hash: string, used_at: Date, ip: string | null): void;
  /** Counts what waits, as far as the writer is there. Does not fail. */
  flush(): Promise<void>;
}

/** What all rooms take of the application; a room that needs more declares it. */
export interface Context {
  /** The writer: customers, their tokens, limits, credits and watch lists. */
  db: Db;
  /**
   * Sessions of their own on the writer, for limits and tokens alone: they wait for no standby, nor for
   * others that do.
   */
  gate: Db;
  /** What the registries say. */
  readers: Readers;
  /** The uses of tokens that are not counted yet. */
  uses: Uses;
  limiter: Limiter;
  logger: Logger;
  now: () => Date;
  /** What one account may have and do. */
  bounds: Bounds;
  /** Public counts from 1 to below it are null; 0: none. */
  suppressBelow: number;
}
