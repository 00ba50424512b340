import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays } from '../calendar.ts';
import { listDump } from '../dump/files.ts';
import { Refusal } from '../errors.ts';
import { listInbox } from '../night/inbox.ts';
import { loadSource } from '../sources/source.ts';
import { fillFolder } from './folder.ts';
import type { FetchPlan, FetchReport } from './report.ts';
import { ServiceFault } from './service.ts';
import { fetchLists, type Sirene } from './sirene.ts';
import { fetchStock, type StockCatalogue } from './sirene-stock.ts';

/** The number of days for which a fetch of a month's last day waits for the stock (full dump) of that month. */
const STOCK_WAIT_days = 5;

/** The largest number of past days whose missing lists are fetched, even if the last stock (full dump) is older. */
const MOST_DAYS = 62;

/** The result of an earlier fetch, read from `<date>.fetched.json`. A stock (full dump) has no `days`. */
type Past = Pick<FetchReport, 'dump_date' | 'days'>;

/**
 * Fetches the newest stock (full dump) of SIRENE if it is newer than each known stock and each published dump. An older
 * stock would undo changes from lists that are already published. Otherwise fetches the lists of the day, and of every
 * day since the last stock that is still missing. Throws a `Refusal` while the data of the day are not available yet,
 * `NothingToDo`, `AlreadyRunning`, or a `ServiceFault`.
 */
export async function fetchSirene(
  sirene: Sirene,
  catalogue: StockCatalogue,
  plan: FetchPlan,
): Promise<FetchReport> {
  const { date, progress } = plan;
  progress.step('informations');
  const readyAt = await sirene.readyAt();
  if (readyAt.slice(0, 10) <= date) {
    throw new Refusal(
      `SIRENE has not set the data of ${date} available yet; the last are of ${readyAt}`,
    );
  }
  const { past, published, taken } = await readKnown(plan);
  const newest = past.findLast(({ days }) => !days)?.dump_date ?? '';
  const isDue = addDays(date, 1).endsWith('-01') && newest < date;
  const isAwaited = isDue && readyAt.slice(0, 10) <= addDays(date, STOCK_WAIT_days);
  const stock = await catalogue.newest().catch((error: unknown) => {
    const isTolerable = error instanceof ServiceFault || error instanceof Refusal;
    if (isAwaited || !isTolerable) throw error;
    progress.note(`${error.message}; the lists are asked for without it`);
    return undefined;
  });
  if (stock && stock.date <= date && stock.date > newest) {
    if (stock.date > published && !taken.has(stock.date)) {
      return await fillFolder({ ...plan, source: 'sirene', date: stock.date }, (folder) =>
        fetchStock(catalogue, stock, plan, folder),
      );
    }
    progress.note(`The stock of ${stock.date} came after later lists: the next one is taken`);
  }
  if (isAwaited && stock && stock.date < date) {
    throw new Refusal(
      `The stock of ${date} is not published yet; the newest one is of ${stock.date}`,
    );
  }
  return await fillFolder({ ...plan, source: 'sirene' }, (folder) =>
    fetchLists(sirene, readyAt, listMissing(past, date), plan, folder),
  );
}

/** Returns the dumps of SIRENE that are in the inbox or published. */
async function readKnown({ inboxDir, progress, query }: FetchPlan) {
  const inbox = join(inboxDir, 'sirene');
  const names = await readdir(inbox).catch(() => []);
  const reports = names.filter((name) => name.endsWith('.fetched.json'));
  const past = await Promise.all(
    reports.map(async (name) => JSON.parse(await readFile(join(inbox, name), 'utf8')) as Past),
  );
  const days = await listInbox(inboxDir, 'sirene');
  const taken = new Set([...past.map(({ dump_date }) => dump_date), ...days]);
  const [published] = await query('import/find_published.sql', ['sirene']).catch((error: Error) => {
    progress.note(`What is published is not known: ${error.message}`);
    return [{ newest: [...taken].toSorted().at(-1) ?? null, full: null }];
  });
  if (published?.full) past.push({ dump_date: published.full });
  const source = await loadSource('sirene');
  for (const day of days) {
    // A folder with an incomplete dump does not count as a stock.
    const dump = await listDump(source, join(inbox, day)).catch(() => undefined);
    if (dump?.source.dump_kind === 'full') past.push({ dump_date: day });
  }
  return {
    /** The results of earlier fetches, together with the stocks in the inbox and the database, the oldest first. */
    past: past.toSorted((one, other) => one.dump_date.localeCompare(other.dump_date)),
    /** The day of the newest published dump: nights accept only later dumps. Blank if nights accept any dump. */
    published: published?.newest ?? '',
    taken,
  };
}

/**
 * Returns the days up to `date` that neither the last stock nor a later fetch of lists covers, the oldest first. A day
 * that was fetched before the last stock counts as missing, because publishing the stock may undo its changes.
 */
function listMissing(past: readonly Past[], date: string): string[] {
  const last = past.findLast(({ days, dump_date }) => !days && dump_date < date)?.dump_date;
  // A stock from the middle of a month is named by its day of publication, and has the data of the evening before.
  const isWhole = last !== undefined && addDays(last, 1).endsWith('-01');
  const shown = isWhole ? last : addDays(last ?? date, -1);
  const later = past.filter(({ dump_date }) => dump_date > (last ?? ''));
  const fetched = new Set(later.flatMap(({ days = [] }) => days));
  const days = Array.from({ length: MOST_DAYS }, (_, back) => addDays(date, -back));
  return days.filter((day) => day > shown && !fetched.has(day)).toReversed();
}
