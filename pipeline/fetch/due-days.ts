import type { Logger } from 'pino';
import { type Database, queryFile } from '../../sql/connection/database.ts';
import { dayIn } from '../../sql/country.ts';
import { addDays } from '../calendar.ts';
import type { Environment } from '../environment.ts';
import { WrongUsage } from '../errors.ts';
import { listInbox } from '../night/inbox.ts';
import { whileLocked } from '../night/lock.ts';
import { findNewestPublished } from '../night/run-rows.ts';
import { loadSource } from '../sources/source.ts';
import { type FetchEnvironment, loadService, registries, settingOf } from './environment.ts';
import type { FetchPlan } from './report.ts';
import { fetchDay, type FetchOutcome, toOutcome } from './fetcher.ts';

interface DueFetch {
  db: Database;
  environment: Pick<Environment, 'inboxDir'>;
  settings: FetchEnvironment;
  logger: Logger;
  now: Date;
  /** The registries whose dumps are fetched; if absent, all registries that are set up. */
  sources?: ReadonlySet<string> | undefined;
  signal: AbortSignal;
}

/**
 * Fetches the dumps of each registry that is set up: the newest full dump, or each daily list that the registry still
 * offers. The first fetched day follows the registry's newest dump that is published or in the inbox. If the fetch of a
 * day fails, the later days of its registry are not fetched in this run. Throws `WrongUsage` if no registry is set up.
 */
export async function fetchDue(due: DueFetch): Promise<FetchOutcome[]> {
  const setUp = [...registries.keys()].filter((source) => due.settings[source]);
  if (setUp.length === 0) {
    const settings = [...registries.keys()].map(settingOf);
    throw new WrongUsage(`No registry is set up to be fetched: ${settings.join(', ')}`);
  }
  const outcomes: FetchOutcome[] = [];
  for (const source of setUp) {
    if (due.sources?.has(source) === false) continue;
    const [first] = await listDue(due, source);
    if (first === undefined) continue;
    const fetch = (lost: AbortSignal) =>
      fetchSource({ ...due, signal: AbortSignal.any([due.signal, lost]) }, source);
    const held = `Another process is fetching ${source}`;
    // Several machines may share an inbox, so a lock in the database lets only one of them fetch a registry.
    const fetching = whileLocked(due.db.pool, `fetch ${source}`, held, fetch);
    outcomes.push(...(await fetching.catch((error: Error) => [toOutcome(source, first, error)])));
  }
  return outcomes;
}

async function fetchSource(due: DueFetch, source: string): Promise<FetchOutcome[]> {
  const { db, environment, settings, logger, signal } = due;
  const { inboxDir } = environment;
  const query: FetchPlan['query'] = (file, values) => queryFile(db.pool, file, values);
  const outcomes: FetchOutcome[] = [];
  for (const date of await listDue(due, source)) {
    const plan = { source, inboxDir, date, signal, query };
    const outcome = await fetchDay(settings, plan, logger).catch(({ message }: Error) => {
      signal.throwIfAborted();
      return { source, dump_date: date, state: 'failed' as const, message };
    });
    // The state `nothing` means that another process has completed the dump of the day in the meantime.
    if (outcome.state === 'nothing') continue;
    outcomes.push(outcome);
    if (outcome.state !== 'fetched') break;
  }
  return outcomes;
}

/** Returns the days that are still to be fetched from a registry, as YYYY-MM-DD, the oldest first. */
export async function listDue(
  { db, environment, now }: Pick<DueFetch, 'db' | 'environment' | 'now'>,
  source: string,
): Promise<string[]> {
  const { isAfterTheDay, longest_gap_days } = await loadService(source);
  const { country_code } = await loadSource(source);
  const today = dayIn(now, country_code);
  const last = isAfterTheDay ? addDays(today, -1) : today;
  const inbox = await listInbox(environment.inboxDir, source);
  const published = await findNewestPublished(db.pool, source);
  const newest = [...inbox, published?.dump_date ?? ''].toSorted().at(-1);
  if (!newest) return [last];
  const dates = Array.from({ length: longest_gap_days }, (_, days) => addDays(last, -days));
  return dates.filter((date) => date > newest).toReversed();
}
