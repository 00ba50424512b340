import type { Logger } from 'pino';
import { connect, type Database } from '../../sql/database.ts';
import { readLog } from '../../sql/embedded/server.ts';
import { openLog } from '../../sql/log.ts';
import { migrate } from '../../sql/migrate.ts';
import { type Environment, readEnvironment } from '../environment.ts';
import { exitCodes } from '../exit-codes.ts';
import { isLostConnection } from '../../sql/fault.ts';
import { Interrupted, interruptible } from '../signals.ts';

/** What a command works with. */
export interface Session {
  environment: Environment;
  logger: Logger;
  /** Migrations that were applied just now. */
  applied: string[];
  /** Aborted when the process is told to end. */
  signal: AbortSignal;
}

/** Opens the database, up to date, for the time of a command. */
export async function withDatabase<T>(
  use: (db: Database, session: Session) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment();
  const logger = await openLog(environment.logLevel);
  const db = await connect({
    databaseUrl: environment.databaseUrl,
    dataDir: environment.dataDir,
    applicationName: 'registry-pipeline',
  });
  try {
    return await interruptible(db, async (signal) => {
      const applied = await migrate(db);
      return await use(db, { environment, logger, applied, signal });
    });
  } catch (error) {
    // Work that the interruption did not reach may not keep the process.
    if (error instanceof Interrupted)
      setTimeout(() => process.exit(exitCodes.fault), 10_000).unref();
    throw await explainLoss(error, environment);
  } finally {
    await db.close();
  }
}

/**
 * A server that cannot write its log of changes ends all sessions. Only the log of the embedded one tells
 * that the disk is full.
 *
 * @returns what to throw
 */
async function explainLoss(error: unknown, environment: Environment): Promise<unknown> {
  if (environment.databaseUrl !== undefined || !isLostConnection(error)) return error;
  const lines = (await readLog(environment)).split('\n');
  const reason = lines.findLast((line) => /no space left on device/i.test(line));
  return reason === undefined ? error : new Error(reason, { cause: error });
}

/**
 * Aborted when the process is told to end; from then on such signals are without effect, since a
 * terminal and `npm` may both send them.
 */
export function endSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort());
  }
  return controller.signal;
}
