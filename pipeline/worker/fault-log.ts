import type { Logger } from 'pino';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { AlreadyRunning } from '../errors.ts';
import { worker as figures } from '../figures/worker-pauses.ts';

/**
 * Returns a function that turns a sentence into an error handler, which logs an error with this sentence. A lost
 * database is logged at most once a minute, because all jobs of a worker lose the database at the same time. The
 * handlers ignore the abort by `signal`, and `AlreadyRunning` errors: another worker is doing the work.
 */
export function createComplaints(logger: Logger, signal: AbortSignal) {
  let said_at = -Infinity;
  return (sentence: string) => (error: Error) => {
    if (error instanceof AlreadyRunning || error === signal.reason) return;
    if (!isLostConnection(error)) logger.error({ err: error }, sentence);
    else if (performance.now() - said_at >= figures.complaint_ms) {
      said_at = performance.now();
      logger.warn(`The database is away, jobs wait until it is back: ${error.message}`);
    }
  };
}
