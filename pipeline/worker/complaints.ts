import type { Level, Logger } from 'pino';
import { worker } from '../figures.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';

/** Logs a fault. @param error the cause of the fault, if known */
export type Complain = (level: Level, text: string, error?: unknown) => void;

/**
 * Returns a function that logs a lost database once a minute, in one sentence. All slots, sessions and sweeps
 * of a worker lose the database in the same moment.
 */
export function createComplaints(logger: Logger): Complain {
  let said_at = -Infinity;
  return (level, text, error) => {
    if (!isLostConnection(error)) {
      logger[level](error === undefined ? {} : { err: error }, text);
      return;
    }
    if (performance.now() - said_at < worker.complaint_ms) return;
    said_at = performance.now();
    logger.warn(`The database is away, jobs wait until it is back: ${(error as Error).message}`);
  };
}
