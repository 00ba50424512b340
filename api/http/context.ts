import type { Logger } from 'pino';
import type { Db } from '../../sql/connection/kysely.ts';

/** What all rooms take of the application; a room that needs more declares it. */
export interface Context {
  db: Db;
  logger: Logger;
  now: () => Date;
}
