import type { Logger } from 'pino';
import { dayIn } from '../../sql/country.ts';
import { type Database, queryFile } from '../../sql/connection/database.ts';
import { listInbox } from '../night/inbox.ts';
import { whileNobodyFetches } from '../night/lock.ts';
import { findNewestPublished } from '../night/run.ts';
import { addDays } from '../calendar.ts';
import { stateOf, WrongUsage } from '../errors.ts';
import { loadSource } from '../sources/source.ts';
import type { FetchEnvironment } from './environment.ts';
import { fetchDay, type Fetcher, fetchers, type FetchOutcome } from './fetcher.ts';

interface DueFetch {
  db: Database;
  inboxDir: string;
  settings: FetchEnvironment;
  logger: Logger;
  now: Date;
  /** The registries to fetch; absent: all registries that are set up. */
  sources?: ReadonlySet<string> | undefined;
  signal: AbortSignal;
}

/**
 * Fetches the dumps of each registry that is set up: the newest full dump, or every day of daily lists that the
 * registry still has. Begins after the newest dump that is published or in the inbox. After a day that cannot be
 * fetched, the later days of the registry wait.
 * Throws `WrongUsage` when no registry is set up.
 */
export async function fetchDue(due: DueFetch): Promise<FetchOutcome[]> {
  const { db, settings } = due;
  const setUp = Object.entries(fetchers).filter(
    ([source]) => settings[source as keyof FetchEnvironment],
  );
  if (setUp.length === 0)
    throw new WrongUsage(
      'No registry is set up to be fetched: CEIDG_TOKEN, BIR_API_KEY, KRS_URL, SIRENE_TOKEN',
    );
  const outcomes: FetchOutcome[] = [];
  for (const [source, fetcher] of setUp) {
    if (due.sources?.has(source) === false) continue;
    const [first] = await listDue(due, source, fetcher);
    if (first === undefined) continue;
    const fetch = (lost: AbortSignal) =>
      fetchSource({ ...due, signal: AbortSignal.any([due.signal, lost]) }, source, fetcher);
    // Several machines with a schedule may share an inbox: only one of them fetches a source.
    const fetched = await whileNobodyFetches(db.pool, source, fetch).catch((error: Error) => {
      const state = stateOf(error);
      if (state !== 'running') throw error;
      return [{ source, dump_date: first, state, message: error.message }];
    });
    outcomes.push(...fetched);
  }
  return outcomes;
}

async function fetchSource(
  due: DueFetch,
  source: string,
  fetcher: Fetcher,
): Promise<FetchOutcome[]> {
  const { db, inboxDir, settings, logger, signal } = due;
  const outcomes: FetchOutcome[] = [];
  for (const date of await listDue(due, source, fetcher)) {
    const lookUp = (regons: readonly string[]) => findWatched(db, regons);
    const lookUpPublished = () => findPublished(db, source);
    const found = { findWatched: lookUp, findPublished: lookUpPublished };
    const plan = { source, inboxDir, date, signal, ...found };
    const outcome = await fetchDay(fetcher, settings, plan, logger).catch((error: Error) => {
      signal.throwIfAborted();
      const { message } = error;
      return { source, dump_date: date, state: 'failed' as const, message };
    });
    // Another process has completed the dump in the meantime.
    if (outcome.state === 'nothing') continue;
    outcomes.push(outcome);
    if (outcome.state !== 'fetched') break;
  }
  return outcomes;
}

/** Returns the REGON9 of the given companies that are watched. */
export async function findWatched(
  { pool }: Database,
  regons: readonly string[],
): Promise<string[]> {
  const rows = await queryFile<{ regon9: string }>(pool, 'import/find_watched.sql', [regons]);
  return rows.map(({ regon9 }) => regon9);
}

/** Returns the days of the newest published dump and of the newest published full dump of a registry. */
export async function findPublished({ pool }: Database, source: string) {
  const newest = await findNewestPublished(pool, source);
  const full = await findNewestPublished(pool, source, 'full');
  return { newest: newest?.dump_date, full: full?.dump_date };
}

/** Returns the days of a registry that are due to be fetched, the oldest first. */
export async function listDue(
  { db, inboxDir, now }: Pick<DueFetch, 'db' | 'inboxDir' | 'now'>,
  source: string,
  { isAfterTheDay, longest_gap_days }: Fetcher,
): Promise<string[]> {
  const { country_code } = await loadSource(source);
  const today = dayIn(now, country_code);
  const last = isAfterTheDay ? addDays(today, -1) : today;
  const inbox = await listInbox(inboxDir, source);
  const published = await findNewestPublished(db.pool, source);
  const newest = [...inbox, published?.dump_date ?? ''].toSorted().at(-1);
  if (!newest) return [last];
  const dates = Array.from({ length: longest_gap_days }, (_, days) => addDays(last, -days));
  return dates.filter((date) => date > newest).toReversed();
}
