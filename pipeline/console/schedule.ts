import { type Logger as CronLogger, schedule } from 'node-cron';
import type { Logger } from 'pino';
import type { Database } from '../../sql/connection/database.ts';
import { wireOf } from './report.ts';
import type { Session } from './session.ts';
import type { FetchOutcome } from '../fetch/fetcher.ts';
import { whenAborted } from '../signals.ts';
import { ingestInbox, inspectInbox, type Outcome } from '../night/inbox.ts';

interface ScheduleOptions extends Omit<Session, 'applied'> {
  /** Whether the configured registries are fetched first. */
  isFetching?: boolean | undefined;
}

interface DueOptions extends ScheduleOptions {
  onIgnored: (sentence: string) => void;
  onFetched: (outcome: FetchOutcome) => void;
  onOutcome: (outcome: Outcome) => void;
}

/** Fetches where that is asked for, and takes every due dump. Throws `WrongUsage` without an inbox. */
export async function runDueNights(db: Database, options: DueOptions) {
  const { environment, logger, signal, onOutcome } = options;
  const { inboxDir, isInboxDefault } = environment;
  const ignored = await inspectInbox(inboxDir, isInboxDefault);
  for (const sentence of ignored) options.onIgnored(sentence);
  let fetched: FetchOutcome[] | undefined;
  if (options.isFetching) {
    const { fetchDue } = await import('../fetch/due.ts');
    const { readFetchEnvironment } = await import('../fetch/environment.ts');
    const settings = readFetchEnvironment();
    fetched = await fetchDue({ db, inboxDir, settings, logger, now: new Date(), signal });
    for (const outcome of fetched) options.onFetched(outcome);
  }
  const runs = await ingestInbox({ db, logger, inboxDir, signal, onOutcome });
  return { fetched, runs, ignored };
}

/** Runs the due nights at the times of NIGHTLY_CRON, Polish time, never twice at once, until the signal. */
export async function runSchedule(db: Database, options: ScheduleOptions): Promise<void> {
  const { environment, logger, signal } = options;
  const log = (outcome: Outcome | FetchOutcome) => {
    const isDone = outcome.state === 'published' || outcome.state === 'fetched';
    logger[isDone ? 'info' : 'error'](wireOf(outcome), `nightly: ${outcome.state}`);
  };
  const onIgnored = (sentence: string) => logger.warn(sentence);
  const due = { ...options, onIgnored, onFetched: log, onOutcome: log };
  const task = schedule(
    environment.nightlyCron,
    () =>
      runDueNights(db, due).catch((error: unknown) => {
        if (!signal.aborted) logger.error(error, 'the scheduled run failed');
      }),
    { timezone: 'Europe/Warsaw', noOverlap: true, name: 'nightly', logger: logInto(logger) },
  );
  logger.info({ cron: environment.nightlyCron, next: task.getNextRun() }, 'scheduled');
  await whenAborted(signal);
  await task.destroy();
}

/** Its warnings, of a missed time or a run under way, are no fault: the dumps are due the next time. */
function logInto(logger: Logger): CronLogger {
  return {
    debug: (message) => logger.debug(message),
    info: (message) => logger.debug(message),
    warn: (message) => logger.info(message),
    error: (message, fault) => logger.error(fault ?? message),
  };
}
