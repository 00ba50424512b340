import type { Logger } from 'pino';
import type { Bounds } from '../bounds.ts';
import type { Db } from '../../sql/connection/kysely.ts';

/** What all rooms take of the application; a room that needs more declares it. */
export interface Context {
  db: Db;
  logger: Logger;
  now: () => Date;
  /** What one account may have and do. */
  bounds: Bounds;
  /** Public counts from 1 to below it are null; 0: none. */
  suppressBelow: number;
}
