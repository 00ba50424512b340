import type { Logger } from 'pino';
import type { Database } from '../../sql/database.ts';
import { findNewestDate, listInbox } from '../night/inbox.ts';
import { warsawDate } from '../calendar.ts';
import { AlreadyRunning, NothingToDo, Refusal } from '../errors.ts';
import { type FetchEnvironment, requireSetUp } from './environment.ts';
import { type Fetcher, fetchers } from './fetcher.ts';
import { createProgress } from './progress.ts';
import type { FetchReport } from './report.ts';
import { findWatched } from './watched.ts';

/** How the fetch of one day ended. */
export type FetchOutcome =
  | FetchReport
  | { source: string; dump_date: string; state: 'running' | 'refused' | 'failed'; message: string };

export interface DueFetch {
  db: Database;
  inboxDir: string;
  settings: FetchEnvironment;
  logger: Logger;
  now: Date;
  signal: AbortSignal;
}

/**
 * Fetches what the registries that are set up have made since the newest dump that is published or
 * in the inbox. Of a full dump that is the newest one. Of daily lists it is every day that the
 * registry still has, since a change stands in the list of its day only. After a day that cannot be
 * fetched, the later days of its registry wait.
 *
 * Throws `WrongUsage` when no registry is set up.
 */
export async function fetchDue(due: DueFetch): Promise<FetchOutcome[]> {
  requireSetUp(due.settings);
  const outcomes: FetchOutcome[] = [];
  for (const [source, fetcher] of Object.entries(fetchers)) {
    if (!fetcher.isSetUp(due.settings)) continue;
    for (const date of await listDue(due, source, fetcher)) {
      const outcome = await fetchDay(due, source, fetcher, date);
      if (outcome === undefined) continue;
      outcomes.push(outcome);
      if (outcome.state !== 'fetched') break;
    }
  }
  return outcomes;
}

/** @returns undefined where the dump was completed in the meantime */
async function fetchDay(
  { db, inboxDir, settings, logger, signal }: DueFetch,
  source: string,
  fetcher: Fetcher,
  date: string,
): Promise<FetchOutcome | undefined> {
  const progress = createProgress({ source, dump_date: date }, logger);
  const plan = {
    inboxDir,
    date,
    progress,
    signal,
    findWatched: (regons: readonly string[]) => findWatched(db, regons),
  };
  try {
    const report = await fetcher.run(settings, plan, (sentence) => progress.note(sentence));
    progress.close();
    return report;
  } catch (error) {
    progress.close(true);
    signal.throwIfAborted();
    if (error instanceof NothingToDo) return undefined;
    const state = stateOf(error) ?? 'failed';
    return { source, dump_date: date, state, message: (error as Error).message };
  }
}

/** How an attempt ended that is no fault; undefined for a fault. */
export function stateOf(error: unknown): 'refused' | 'running' | undefined {
  if (error instanceof Refusal) return 'refused';
  return error instanceof AlreadyRunning ? 'running' : undefined;
}

/** The days of a registry that are fetched now, the oldest first. */
export async function listDue(
  { db, inboxDir, now }: Pick<DueFetch, 'db' | 'inboxDir' | 'now'>,
  source: string,
  { isAfterTheDay, longest_gap_days }: Fetcher,
): Promise<string[]> {
  const today = warsawDate(now);
  const last = isAfterTheDay ? addDays(today, -1) : today;
  const inbox = await listInbox(inboxDir, source);
  const newest = [...inbox, (await findNewestDate(db, source)) ?? []].flat().toSorted().at(-1);
  if (newest === undefined) return [last];
  const dates = Array.from({ length: longest_gap_days }, (_, days) => addDays(last, -days));
  return dates.filter((date) => date > newest).toReversed();
}

/** Days of the calendar, YYYY-MM-DD. */
function addDays(date: string, days: number): string {
  const moment = new Date(`${date}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10);
}
