import { setTimeout as delay } from 'node:timers/promises';
import { type Logger as CronLogger, schedule } from 'node-cron';
import pLimit from 'p-limit';
import type { Database } from '../../sql/connection/database.ts';
import { defaultCountry } from '../../sql/country.ts';
import { nights as figures } from '../figures/night-timeouts.ts';
import { type Session, whenThere } from './session.ts';
import type { FetchOutcome } from '../fetch/fetcher.ts';
import { whenAborted } from '../signals.ts';
import { ingestInbox, inspectInbox, type Outcome } from '../night/inbox.ts';

interface ScheduleOptions extends Omit<Session, 'applied'> {
  /** Whether the configured registries are fetched before the nights. */
  isFetching?: boolean | undefined;
}

interface DueOptions extends ScheduleOptions {
  onIgnored: (sentence: string) => void;
  onFetched: (outcome: FetchOutcome) => void;
  onOutcome: (outcome: Outcome) => void;
  isRepeated?: boolean;
  /** The sources whose dumps are taken; absent: all. */
  sources?: ReadonlySet<string> | undefined;
}

/** Fetches due dumps if the options ask for it, then ingests every due dump. Throws `WrongUsage` without an inbox. */
export async function runDueNights(db: Database, options: DueOptions) {
  const { environment, logger, signal, onOutcome, isRepeated, sources } = options;
  const { inboxDir, INBOX_DIR, recodedFrom } = environment;
  const ignored = await inspectInbox(inboxDir, INBOX_DIR === undefined);
  for (const sentence of ignored) options.onIgnored(sentence);
  let fetched: FetchOutcome[] | undefined;
  if (options.isFetching) {
    const { fetchDue } = await import('../fetch/fetcher.ts');
    const { readFetchEnvironment } = await import('../fetch/environment.ts');
    const settings = readFetchEnvironment();
    fetched = await fetchDue({ db, inboxDir, settings, logger, now: new Date(), signal, sources });
    for (const outcome of fetched) options.onFetched(outcome);
  }
  const nights = { db, logger, inboxDir, recodedFrom, signal, sources };
  const runs = await ingestInbox({ ...nights, onOutcome, isRepeated });
  return { fetched, runs, ignored };
}

/** Returns the time of the next night: the one that the last schedule has planned, or `planned` if that is earlier. */
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
 * Runs the due nights at the times of NIGHTLY_CRON, in the time of the default country, until the signal is
 * aborted. One run is under way at a time. A night waits for a database that is away. A missed night runs at
 * the start, or when a suspended machine resumes. A night that another process runs is looked for until
 * it is done. Each scheduled run ends with a line in the log.
 */
export async function runSchedule(db: Database, options: ScheduleOptions): Promise<void> {
  const { environment, logger, signal } = options;
  const counts = new Map<string, number>();
  /** The sources whose nights another process runs; undefined in the first turn. */
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
  // A valid cron expression always has a next time.
  const planned = () => task.getNextRun()!;
  const sayEnd = () => {
    const done = [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
    logger.info({ next: planned() }, `the scheduled run: ${done || 'nothing to do'}`);
    counts.clear();
  };
  const sayFault = (error: unknown) => {
    counts.clear();
    if (!signal.aborted) logger.error(error, 'the scheduled run failed');
  };
  const ask = <T>(work: () => Promise<T>) => whenThere(work, logger, signal);
  // A process that runs a night may end before the night does, so the inbox is checked until the night is done.
  const takeTurns = async () => {
    // The next time is read before the run: a time that passes during the run stays due.
    const next_at = planned();
    for (sources = undefined; sources?.size !== 0;) {
      if (counts.delete('running')) await delay(figures.turn_ms, undefined, { signal });
      const asked: DueOptions = { ...due, sources };
      const { fetched = [], runs } = await ask(() => runDueNights(db, asked));
      const running = [...fetched, ...runs].filter(({ state }) => state === 'running');
      sources = new Set(running.map(({ source }) => source));
    }
    await ask(() => db.pool.query('update registry.schedule set next_at = $1', [next_at]));
  };
  const limit = pLimit(1);
  // At most one run waits: a run takes all dumps that are due when the run begins.
  const run = () =>
    limit.pendingCount > 0 ? undefined : limit(() => takeTurns().then(sayEnd).catch(sayFault));
  const catchUp = async () => {
    const due_at = await ask(() => readPlan(db, planned()));
    if (due_at > new Date()) return;
    logger.warn({ due: due_at }, 'a night was missed: it is run now');
    await run();
  };
  const task = schedule(environment.NIGHTLY_CRON, run, {
    timezone: defaultCountry.time_zone,
    // A machine that was suspended at a scheduled time runs the missed night after it resumes.
    missedExecutionTolerance: Infinity,
    name: 'nightly',
    // A time that node-cron misses is no fault: the dumps stay due.
    logger: logger.child({}, { level: 'error' }) as unknown as CronLogger,
  });
  logger.info({ cron: environment.NIGHTLY_CRON, next: planned() }, 'scheduled');
  await catchUp().catch(sayFault);
  await whenAborted(signal);
  await task.destroy();
}
