import type { Logger } from 'pino';
import type { Bounds } from '../bounds.ts';
import type { Db } from '../../sql/connection/kysely.ts';
import type { Readers } from '../../sql/connection/readers.ts';

/** What all rooms take of the application; a room that needs more declares it. */
export interface Context {
  /** The writer: customers, their tokens, limits, credits and watch lists. */
  db: Db;
  /** What the registries say. */
  readers: Readers;
  logger: Logger;
  now: () => Date;
  /** What one account may have and do. */
  bounds: Bounds;
  /** Public counts from 1 to below it are null; 0: none. */
  suppressBelow: number;
}
