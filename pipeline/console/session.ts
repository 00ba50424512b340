import pRetry from 'p-retry';
import type { Logger } from 'pino';
import { connect, type Database } from '../../sql/connection/database.ts';
import { readLog } from '../../sql/embedded/server.ts';
import { openLog } from '../../sql/process/log.ts';
import { migrate } from '../../sql/migrate.ts';
import { type Environment, readEnvironment } from '../environment.ts';
import { exitCodes } from '../exit-codes.ts';
import { nights } from '../figures/night-timeouts.ts';
import { isLostConnection, isWriterGone } from '../../sql/connection/lost-connection.ts';
import { Interrupted, interruptible, onEndSignal } from '../signals.ts';

export interface Session {
  environment: Environment;
  logger: Logger;
  /** The names of the migrations that `withDatabase` applied for this command. */
  applied: string[];
  /** The signal that is aborted when the process receives SIGINT, SIGTERM or SIGHUP. */
  signal: AbortSignal;
}

/** Calls `work`, and repeats the call while the database is unreachable. Throws any other error of `work`. */
export function whenThere<T>(
  work: () => Promise<T>,
  logger: Logger,
  signal?: AbortSignal,
): Promise<T> {
  return pRetry(work, {
    ...nights.away,
    signal,
    shouldRetry({ error, retryDelay }) {
      const isAway = isWriterGone(error) || isWriterGone(error.cause);
      const next = `trying again in ${retryDelay / 1000} s`;
      if (isAway) logger.warn(`The database is away (${error.message}); ${next}`);
      return isAway;
    },
  });
}

/**
 * Opens the database, applies missing migrations, and closes the database when the command ends.
 *
 * @param options.reads whether the command also connects to the standbys of DATABASE_READ_URL
 * @param options.waits whether connecting to the database is retried; a signal then ends the process with exit code 0
 */
export async function withDatabase<T>(
  use: (db: Database, session: Session) => Promise<T>,
  { waits = false, reads = false } = {},
): Promise<T> {
  const environment = readEnvironment();
  const logger = await openLog(environment.LOG_LEVEL);
  const DATABASE_READ_URL = reads ? environment.DATABASE_READ_URL : [];
  const server = { ...environment, DATABASE_READ_URL, applicationName: 'registry-pipeline' };
  const open = () => connect(server);
  const stopListening = waits ? onEndSignal(() => process.exit(exitCodes.done)) : undefined;
  const db = await (waits ? whenThere(open, logger) : open());
  stopListening?.();
  try {
    return await interruptible(db, async (signal) => {
      const applied = await migrate(db);
      return await use(db, { environment, logger, applied, signal });
    });
  } catch (error) {
    // After `grace_ms`, the process ends even if `use`, which a signal has interrupted, still runs.
    if (error instanceof Interrupted)
      setTimeout(() => process.exit(exitCodes.failed), nights.grace_ms).unref();
    throw await explainLoss(error, environment);
  } finally {
    await db.close();
  }
}

/** Returns `error`; if the embedded server's log reports a full disk, returns an error with this line of the log. */
async function explainLoss(error: unknown, environment: Environment): Promise<unknown> {
  if (environment.DATABASE_URL !== undefined || !isLostConnection(error)) return error;
  const lines = (await readLog({ dataDir: environment.DATA_DIR })).split('\n');
  const reason = lines.findLast((line) => /no space left on device/i.test(line));
  return reason === undefined ? error : new Error(reason, { cause: error });
}
