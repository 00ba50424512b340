import type { Logger } from 'pino';
import type { Database } from '../../sql/database.ts';
import { findNewestDate, listInbox } from '../night/inbox.ts';
import { warsawDate } from '../night/nightly.ts';
import { AlreadyRunning, NothingToDo, Refusal } from '../errors.ts';
import { loadSource } from '../sources/source.ts';
import { type FetchEnvironment, requireSetUp } from './environment.ts';
import { type Fetcher, fetchers } from './fetcher.ts';
import { createProgress } from './progress.ts';
import type { FetchReport } from './report.ts';

/** Days of a registry's lists that are fetched at once when nobody has fetched for a while. */
const LONGEST_GAP_days = 31;

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
 * in the inbox: of a full dump the newest one alone, of daily lists every day, 31 at most, since a
 * change stands in the list of its day only. What cannot be had is an outcome; the later days of that
 * registry then wait.
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

/** @returns undefined where the dump came to be in the meantime */
async function fetchDay(
  { inboxDir, settings, logger, signal }: DueFetch,
  source: string,
  fetcher: Fetcher,
  date: string,
): Promise<FetchOutcome | undefined> {
  const progress = createProgress({ source, dump_date: date }, logger);
  try {
    const report = await fetcher.run(settings, { inboxDir, date, progress, signal }, (sentence) =>
      progress.note(sentence),
    );
    progress.close();
    return report;
  } catch (error) {
    progress.close(true);
    signal.throwIfAborted();
    if (error instanceof NothingToDo) return undefined;
    const state = stateOf(error);
    return { source, dump_date: date, state, message: (error as Error).message };
  }
}

function stateOf(error: unknown): 'refused' | 'running' | 'failed' {
  if (error instanceof Refusal) return 'refused';
  return error instanceof AlreadyRunning ? 'running' : 'failed';
}

async function listDue(
  { db, inboxDir, now }: DueFetch,
  source: string,
  fetcher: Fetcher,
): Promise<string[]> {
  const today = warsawDate(now);
  const last = fetcher.isAfterTheDay ? addDays(today, -1) : today;
  const inbox = await listInbox(inboxDir, source);
  const newest = [...inbox, (await findNewestDate(db, source)) ?? []].flat().toSorted().at(-1);
  if (newest !== undefined && newest >= last) return [];
  const { dump_kind } = await loadSource(source);
  if (dump_kind === 'full' || newest === undefined) return [last];
  const earliest = addDays(last, 1 - LONGEST_GAP_days);
  const first = addDays(newest, 1);
  const dates: string[] = [];
  for (let date = first > earliest ? first : earliest; date <= last; date = addDays(date, 1)) {
    dates.push(date);
  }
  return dates;
}

/** Days of the calendar, YYYY-MM-DD. */
function addDays(date: string, days: number): string {
  const moment = new Date(`${date}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10);
}
