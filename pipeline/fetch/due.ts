import type { Logger } from 'pino';
import { type Database, queryFile } from '../../sql/database.ts';
import { findNewestDate, listInbox } from '../night/inbox.ts';
import { warsawDate } from '../calendar.ts';
import { AlreadyRunning, NothingToDo, Refusal, WrongUsage } from '../errors.ts';
import type { FetchEnvironment } from './environment.ts';
import { fetchDay, type Fetcher, fetchers } from './fetcher.ts';
import type { FetchReport } from './report.ts';

export type FetchOutcome =
  | FetchReport
  | { source: string; dump_date: string; state: 'running' | 'refused' | 'failed'; message: string };

interface DueFetch {
  db: Database;
  inboxDir: string;
  settings: FetchEnvironment;
  logger: Logger;
  now: Date;
  signal: AbortSignal;
}

/**
 * Fetches the dumps of all registries that are set up, since the newest one that is published or in the
 * inbox: the newest full dump, or every day of daily lists that the registry still has. After a day that
 * cannot be fetched, the later days of its registry wait.
 * Throws `WrongUsage` when no registry is set up.
 */
export async function fetchDue(due: DueFetch): Promise<FetchOutcome[]> {
  const setUp = Object.entries(fetchers).filter(([, fetcher]) => fetcher.isSetUp(due.settings));
  if (setUp.length === 0)
    throw new WrongUsage('No registry is set up to be fetched: CEIDG_TOKEN, BIR_API_KEY, KRS_URL');
  const outcomes: FetchOutcome[] = [];
  for (const [source, fetcher] of setUp) {
    for (const date of await listDue(due, source, fetcher)) {
      const outcome = await attempt(due, source, fetcher, date);
      if (outcome === undefined) continue;
      outcomes.push(outcome);
      if (outcome.state !== 'fetched') break;
    }
  }
  return outcomes;
}

/** @returns undefined where the dump was completed in the meantime */
async function attempt(
  { db, inboxDir, settings, logger, signal }: DueFetch,
  source: string,
  fetcher: Fetcher,
  date: string,
): Promise<FetchOutcome | undefined> {
  const lookUp = (regons: readonly string[]) => findWatched(db, regons);
  const plan = { source, inboxDir, date, signal, findWatched: lookUp };
  try {
    return await fetchDay(fetcher, settings, plan, logger);
  } catch (error) {
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

/** Which of these companies, by REGON9, are watched. */
export async function findWatched(
  { pool }: Database,
  regons: readonly string[],
): Promise<string[]> {
  const rows = await queryFile<{ regon9: string }>(pool, 'import/find_watched.sql', [regons]);
  return rows.map(({ regon9 }) => regon9);
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

function addDays(date: string, days: number): string {
  const moment = new Date(`${date}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10);
}
