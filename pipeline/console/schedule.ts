import { setTimeout as delay } from 'node:timers/promises';
import { createTask } from 'node-cron';
import type { Database } from '../../sql/connection/database.ts';
import { defaultCountry } from '../../sql/country.ts';
import { nights as figures } from '../figures/night-timeouts.ts';
import { type Session, whenThere } from './session.ts';
import type { FetchOutcome } from '../fetch/fetcher.ts';
import { type InboxOptions, ingestInbox, inspectInbox, type Outcome } from '../night/inbox.ts';

interface ScheduleOptions extends Omit<Session, 'applied'> {
  /** Whether dumps of the configured registries are fetched before the nights run. */
  isFetching?: boolean | undefined;
}

type DueOptions = ScheduleOptions &
  Omit<InboxOptions, 'db'> & {
    onIgnored: (sentence: string) => void;
    onFetched: (outcome: FetchOutcome) => void;
  };

/** Fetches (if `isFetching` is true), then ingests every due dump. Throws `WrongUsage` for an unreadable inbox. */
export async function runDueNights(db: Database, options: DueOptions) {
  const { inboxDir, INBOX_DIR } = options.environment;
  const ignored = await inspectInbox(inboxDir, INBOX_DIR === undefined);
  for (const sentence of ignored) options.onIgnored(sentence);
  let fetched: FetchOutcome[] | undefined;
  if (options.isFetching) {
    const { fetchDue } = await import('../fetch/due-days.ts');
    const { readFetchEnvironment } = await import('../fetch/environment.ts');
    const settings = readFetchEnvironment();
    fetched = await fetchDue({ ...options, db, settings, now: new Date() });
    for (const outcome of fetched) options.onFetched(outcome);
  }
  const runs = await ingestInbox({ ...options, db });
  return { fetched, runs, ignored };
}

/** Saves `planned` as the time of the next night, unless an earlier time is already saved. Returns the saved time. */
async function readPlan({ pool }: Database, planned: Date): Promise<Date> {
  const { rows } = await pool.query<{ next_at: Date }>(
    `insert into registry.schedule (next_at) values ($1)
     on conflict (is_only) do update set next_at = least(schedule.next_at, excluded.next_at)
     returning next_at`,
    [planned],
  );
  return rows[0]!.next_at;
}

/**
 * Runs the due nights at the times of NIGHTLY_CRON (default: ../environment.ts), in the time of the default country,
 * until the signal is aborted. The schedule runs one night at a time. If the database is unreachable, the night is
 * retried until the database answers. A missed night runs when the process starts or a suspended machine resumes.
 */
export async function runSchedule(db: Database, options: ScheduleOptions): Promise<void> {
  const { environment, logger, signal } = options;
  const cron = environment.NIGHTLY_CRON;
  const task = createTask(cron, () => undefined, { timezone: defaultCountry.time_zone });
  // A next time exists, because ../environment.ts has validated the cron expression.
  const planNext = () => task.getNextRuns(1)[0]!;
  const logFault = (error: unknown) => {
    if (!signal.aborted) logger.error(error, 'the scheduled run failed');
  };
  let next_at = planNext();
  logger.info({ cron, next: next_at }, 'scheduled');
  const due_at = await whenThere(() => readPlan(db, next_at), logger, signal).catch(logFault);
  if (due_at && due_at <= new Date()) {
    logger.warn({ due: due_at }, 'a night was missed: it is run now');
    next_at = due_at;
  }
  while (!signal.aborted) {
    const wait_ms = next_at.getTime() - Date.now();
    if (wait_ms > 0) {
      // The clock is read at intervals, because timers stop while the machine is suspended.
      const pause_ms = Math.min(wait_ms, figures.clock_ms);
      await delay(pause_ms, undefined, { signal }).catch(() => undefined);
    } else {
      // The time of the next run is computed before this run, so that a scheduled time during this run is not skipped.
      next_at = planNext();
      await runTurns(db, options, next_at).catch(logFault);
    }
  }
}

/**
 * Runs the due nights, then saves `next_at`. While another process runs a night of a source, retries the source each
 * second, since the other process may end without publishing.
 */
async function runTurns(db: Database, options: ScheduleOptions, next_at: Date): Promise<void> {
  const { logger, signal } = options;
  const counts = new Map<string, number>();
  /** The sources to retry, because another process ingests their dumps; undefined in the first iteration. */
  let sources: ReadonlySet<string> | undefined;
  const log = (outcome: Outcome | FetchOutcome) => {
    counts.set(outcome.state, (counts.get(outcome.state) ?? 0) + 1);
    if (sources && outcome.state === 'running') return;
    const isDone = ['published', 'fetched', 'running'].includes(outcome.state);
    logger[isDone ? 'info' : 'error'](outcome, `nightly: ${outcome.state}`);
  };
  const onIgnored = (sentence: string) => {
    if (!sources) logger.warn(sentence);
  };
  const due = { ...options, onIgnored, onFetched: log, onOutcome: log, isRepeated: true };
  while (sources?.size !== 0) {
    if (counts.delete('running')) await delay(figures.turn_ms, undefined, { signal });
    const turn: DueOptions = { ...due, sources };
    const { fetched = [], runs } = await whenThere(() => runDueNights(db, turn), logger, signal);
    const running = [...fetched, ...runs].filter(({ state }) => state === 'running');
    sources = new Set(running.map(({ source }) => source));
  }
  const save = () => db.pool.query('update registry.schedule set next_at = $1', [next_at]);
  await whenThere(save, logger, signal);
  const done = [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
  logger.info({ next: next_at }, `the scheduled run: ${done || 'nothing to do'}`);
}
