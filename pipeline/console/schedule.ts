import { setTimeout as delay } from 'node:timers/promises';
import { type Logger as CronLogger, schedule } from 'node-cron';
import type { Logger } from 'pino';
import type { Database } from '../../sql/connection/database.ts';
import { defaultCountry } from '../../sql/country.ts';
import { wireOf } from './report.ts';
import { type Session, whenThere } from './session.ts';
import type { FetchOutcome } from '../fetch/fetcher.ts';
import { whenAborted } from '../signals.ts';
import { ingestInbox, inspectInbox, type Outcome } from '../night/inbox.ts';

/** Between two looks at a night that another process runs. */
const turn_ms = 1_000;

interface ScheduleOptions extends Omit<Session, 'applied'> {
  /** Whether the configured registries are fetched first. */
  isFetching?: boolean | undefined;
}

interface DueOptions extends ScheduleOptions {
  onIgnored: (sentence: string) => void;
  onFetched: (outcome: FetchOutcome) => void;
  onOutcome: (outcome: Outcome) => void;
  isRepeated?: boolean;
}

/** Fetches where that is asked for, and takes every due dump. Throws `WrongUsage` without an inbox. */
export async function runDueNights(db: Database, options: DueOptions) {
  const { environment, logger, signal, onOutcome, isRepeated } = options;
  const { inboxDir, isInboxDefault, recodedFrom } = environment;
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
  const nights = { db, logger, inboxDir, recodedFrom, signal };
  const runs = await ingestInbox({ ...nights, onOutcome, isRepeated });
  return { fetched, runs, ignored };
}

/**
 * Runs the due nights at the times of NIGHTLY_CRON, in the time of the default country, never twice at once, until the signal. A
 * night for which the database is away is run when it is back, and one that another process runs is looked
 * for until it is done. The log has a line for each time.
 */
export async function runSchedule(db: Database, options: ScheduleOptions): Promise<void> {
  const { environment, logger, signal } = options;
  const counts = new Map<string, number>();
  const log = (outcome: Outcome | FetchOutcome) => {
    counts.set(outcome.state, (counts.get(outcome.state) ?? 0) + 1);
    const isDone = ['published', 'fetched', 'running'].includes(outcome.state);
    logger[isDone ? 'info' : 'error'](wireOf(outcome), `nightly: ${outcome.state}`);
  };
  const onIgnored = (sentence: string) => logger.warn(sentence);
  const due = { ...options, onIgnored, onFetched: log, onOutcome: log, isRepeated: true };
  const sayEnd = () => {
    const done = [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
    logger.info({ next: task.getNextRun() }, `the scheduled run: ${done || 'nothing to do'}`);
    counts.clear();
  };
  // The process that runs a night may end in its middle: the night is looked for until it is done.
  const takeTurns = async () => {
    for (;;) {
      await whenThere(() => runDueNights(db, due), logger, signal);
      if (!counts.delete('running')) return;
      await delay(turn_ms, undefined, { signal });
    }
  };
  const task = schedule(
    environment.nightlyCron,
    () =>
      takeTurns().then(sayEnd, (error: unknown) => {
        counts.clear();
        if (!signal.aborted) logger.error(error, 'the scheduled run failed');
      }),
    {
      timezone: defaultCountry.time_zone,
      noOverlap: true,
      name: 'nightly',
      logger: logInto(logger),
    },
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
