import { schedule } from 'node-cron';
import type { Logger } from 'pino';
import type { Database } from '../sql/database.ts';
import type { Environment } from './environment.ts';
import { ingestInbox } from './ingest.ts';

/**
 * Takes the dumps of the inbox at the times of NIGHTLY_CRON, Polish time, never twice at once, until
 * the signal. What fails is logged; the next time it is tried again.
 */
export async function runSchedule(
  db: Database,
  environment: Environment,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const takeInbox = async () => {
    const outcomes = await ingestInbox(db, logger, environment.inboxDir, signal);
    for (const outcome of outcomes) {
      const level = outcome.state === 'published' ? 'info' : 'error';
      logger[level](outcome, `nightly: ${outcome.state}`);
    }
  };
  const task = schedule(
    environment.nightlyCron,
    () =>
      takeInbox().catch((error: unknown) => {
        if (!signal.aborted) logger.error(error, 'the scheduled run failed');
      }),
    { timezone: 'Europe/Warsaw', noOverlap: true, name: 'nightly' },
  );
  logger.info({ cron: environment.nightlyCron, next: task.getNextRun() }, 'scheduled');
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  await task.destroy();
}
