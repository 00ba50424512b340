import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays } from '../../calendar.ts';
import { listDump } from '../../dump/files.ts';
import { Refusal } from '../../errors.ts';
import { listInbox } from '../../night/inbox.ts';
import { loadSource } from '../source.ts';
import { fillFolder } from '../../fetch/folder.ts';
import type { FetchPlan, FetchReport } from '../../fetch/report.ts';
import { ServiceFault } from '../../fetch/service.ts';
import { fetchLists, type Sirene } from './fetch-lists.ts';
import { fetchStock, type StockCatalogue } from './fetch-stock.ts';

/** The number of days after the end of a month for which a fetch waits for the stock (full dump) of the month. */
const STOCK_WAIT_days = 5;

/** The maximum number of past days whose missing lists are fetched, even if the last stock (full dump) is older. */
const MOST_DAYS = 62;

/** The result of an earlier fetch (`<date>.fetched.json`). The result for a stock (full dump) has no `days`. */
type Past = Pick<FetchReport, 'dump_date' | 'days'>;

/**
 * Fetches the newest stock (full dump) of SIRENE if it is newer than every fetched or published dump. A stock that is
 * older than a published list of changes would undo these changes. If no such stock exists, fetches the lists of the
 * day, and the missing lists of all days since the last stock. Throws a `Refusal` if INSEE has not published the data
 * of the day yet, and passes on the errors of `fillFolder` and of the requests.
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

/** Returns the known dumps of SIRENE: those in the inbox, and the published ones. */
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
    // An incomplete dump in the inbox does not count as a stock (full dump).
    const dump = await listDump(source, join(inbox, day)).catch(() => undefined);
    if (dump?.source.dump_kind === 'full') past.push({ dump_date: day });
  }
  return {
    /** The results of earlier fetches, and the stocks (full dumps) in the inbox and the database, the oldest first. */
    past: past.toSorted((one, other) => one.dump_date.localeCompare(other.dump_date)),
    /** The day of the newest published dump, because nights publish only newer dumps; a blank if none is published. */
    published: published?.newest ?? '',
    taken,
  };
}

/**
 * Returns the days up to `date` whose changes are neither in the last stock nor in lists fetched after it. Also returns
 * days whose lists were fetched before the last stock, because the stock may undo their changes.
 */
function listMissing(past: readonly Past[], date: string): string[] {
  const last = past.findLast(({ days, dump_date }) => !days && dump_date < date)?.dump_date;
  // A stock in the middle of a month is named by its day of publication, but has the data of the day before.
  const isWhole = last !== undefined && addDays(last, 1).endsWith('-01');
  const shown = isWhole ? last : addDays(last ?? date, -1);
  const later = past.filter(({ dump_date }) => dump_date > (last ?? ''));
  const fetched = new Set(later.flatMap(({ days = [] }) => days));
  const days = Array.from({ length: MOST_DAYS }, (_, back) => addDays(date, -back));
  return days.filter((day) => day > shown && !fetched.has(day)).toReversed();
}
