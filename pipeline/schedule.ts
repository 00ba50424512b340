import cron from 'node-cron';
import type { Logger } from 'pino';

/**
 * Runs a job at the times of a cron expression, Polish time, never twice at once, until the signal.
 * A job that fails is logged; the next time it runs again.
 *
 * @param expression five or six fields
 */
export async function runOnSchedule(
  expression: string,
  job: () => Promise<void>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const task = cron.schedule(
    expression,
    async () => {
      try {
        await job();
      } catch (error) {
        logger.error(error, 'the scheduled run failed');
      }
    },
    { timezone: 'Europe/Warsaw', noOverlap: true, name: 'nightly' },
  );
  logger.info({ cron: expression, next: task.getNextRun() }, 'scheduled');
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  await task.stop();
}
