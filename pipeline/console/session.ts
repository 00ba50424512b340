import type { Logger } from 'pino';
import { connect, type Database } from '../../sql/connection/database.ts';
import { readLog } from '../../sql/embedded/server.ts';
import { openLog } from '../../sql/process/log.ts';
import { migrate } from '../../sql/migrate.ts';
import { type Environment, readEnvironment } from '../environment.ts';
import { exitCodes } from '../exit-codes.ts';
import { isLostConnection } from '../../sql/connection/lost-connection.ts';
import { Interrupted, interruptible, onEndSignal } from '../signals.ts';

export interface Session {
  environment: Environment;
  logger: Logger;
  /** Migrations that were applied just now. */
  applied: string[];
  /** Aborted when a signal tells the process to end. */
  signal: AbortSignal;
}

/** Opens the database, up to date, for the time of a command. */
export async function withDatabase<T>(
  use: (db: Database, session: Session) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment();
  const logger = await openLog(environment.logLevel);
  const db = await connect({ ...environment, applicationName: 'registry-pipeline' });
  try {
    return await interruptible(db, async (signal) => {
      const applied = await migrate(db);
      return await use(db, { environment, logger, applied, signal });
    });
  } catch (error) {
    // Work that the interruption did not reach may not keep the process.
    if (error instanceof Interrupted)
      setTimeout(() => process.exit(exitCodes.failed), 10_000).unref();
    throw await explainLoss(error, environment);
  } finally {
    await db.close();
  }
}

/** The error to throw. A server without room for its WAL ends all sessions; only its log says why. */
async function explainLoss(error: unknown, environment: Environment): Promise<unknown> {
  if (environment.databaseUrl !== undefined || !isLostConnection(error)) return error;
  const lines = (await readLog(environment)).split('\n');
  const reason = lines.findLast((line) => /no space left on device/i.test(line));
  return reason === undefined ? error : new Error(reason, { cause: error });
}

/** Aborted by the first signal to end. Later ones have no effect: a terminal and `npm` may both send one. */
export function endSignal(): AbortSignal {
  const controller = new AbortController();
  onEndSignal(() => controller.abort());
  return controller.signal;
}
