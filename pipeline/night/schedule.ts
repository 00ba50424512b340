import { type Logger as CronLogger, schedule } from 'node-cron';
import type { Logger } from 'pino';
import type { Database } from '../../sql/database.ts';
import { wireOf } from '../console/report.ts';
import type { Environment } from '../environment.ts';
import { whenAborted } from '../signals.ts';
import { type NightsOptions, runNights } from './nights.ts';

/** Runs the due nights at the times of NIGHTLY_CRON, Polish time, never twice at once, until the signal. */
export async function runSchedule(
  db: Database,
  options: NightsOptions & { environment: Environment },
): Promise<void> {
  const { environment, logger, signal } = options;
  const onIgnored = (sentence: string) => logger.warn(sentence);
  const takeInbox = async () => {
    const { fetched = [], runs } = await runNights(db, { ...options, onIgnored });
    for (const outcome of [...fetched, ...runs]) {
      const isDone = outcome.state === 'published' || outcome.state === 'fetched';
      logger[isDone ? 'info' : 'error'](wireOf(outcome), `nightly: ${outcome.state}`);
    }
  };
  const task = schedule(
    environment.nightlyCron,
    () =>
      takeInbox().catch((error: unknown) => {
        if (!signal.aborted) logger.error(error, 'the scheduled run failed');
      }),
    { timezone: 'Europe/Warsaw', noOverlap: true, name: 'nightly', logger: logInto(logger) },
  );
  logger.info({ cron: environment.nightlyCron, next: task.getNextRun() }, 'scheduled');
  await whenAborted(signal);
  await task.destroy();
}

/**
 * Writes the messages of the clock to our log. Its warnings, of a missed time or a run under way, are no
 * fault: the same dumps are due the next time.
 */
function logInto(logger: Logger): CronLogger {
  return {
    debug: (message) => logger.debug(message),
    info: (message) => logger.debug(message),
    warn: (message) => logger.info(message),
    error: (message, fault) => logger.error(fault ?? message),
  };
}
