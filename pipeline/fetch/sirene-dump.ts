import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { addDays } from '../calendar.ts';
import { inflateBounds, readArchive } from '../dump/archive.ts';
import { listDump } from '../dump/files.ts';
import { Refusal } from '../errors.ts';
import { figure } from '../written-figure.ts';
import { listInbox } from '../night/inbox.ts';
import { loadSource } from '../sources/source.ts';
import { type DumpFolder, fillFolder } from './folder.ts';
import { createReport, type FetchPlan, type FetchReport } from './report.ts';
import { ServiceFault } from './service.ts';
import type { Sirene } from './sirene.ts';
import {
  lastWhole,
  type Stock,
  type StockCatalogue,
  type StockFile,
  type StockPart,
} from './sirene-catalogue.ts';
import { fetchLists } from './sirene-lists.ts';

/** The least share of the rows of the previous stock that a stock must have. */
const LEAST_SHARE = 0.98;

/** The number of days that the lists of a month wait for the stock of the month. */
const STOCK_WAIT_days = 5;

/** The most days of lists since the last stock; a much older stock means that no stock is fetched here. */
const MOST_DAYS = 62;

/** The result of an earlier fetch, from `<date>.fetched.json` of the inbox. A stock has no `days`. */
type Past = Pick<FetchReport, 'dump_date' | 'days' | 'rows'>;

/** The dumps of SIRENE that are in the inbox or published. */
interface Known {
  /** The results of earlier fetches, and the stocks that no fetch has brought. */
  past: Past[];
  /** The day of the newest stock; blank where there is no stock. */
  stock: string;
  /** The day after which nights accept a dump; blank where nights accept any day. */
  published: string;
  taken: ReadonlySet<string>;
}

/**
 * Fetches the newest stock where it is newer than every known stock and every published dump: an older stock
 * would undo the changes of later lists. Else fetches the lists of a day, and of every missing day since the
 * last stock.
 * Throws a `Refusal` while the data of the day are not available yet, `NothingToDo`, `AlreadyRunning`, or a
 * `ServiceFault`.
 */
export async function fetchSirene(
  sirene: Sirene,
  catalogue: StockCatalogue,
  plan: FetchPlan,
): Promise<FetchReport> {
  const { date, progress, signal } = plan;
  progress.step('informations');
  const readyAt = await sirene.readyAt(signal);
  if (readyAt.slice(0, 10) <= date) {
    throw new Refusal(
      `SIRENE has not set the data of ${date} available yet; the last are of ${readyAt}`,
    );
  }
  const known = await readKnown(plan);
  const isDue = addDays(date, 1).endsWith('-01') && known.stock < date;
  const isAwaited = isDue && readyAt.slice(0, 10) <= addDays(date, STOCK_WAIT_days);
  const stock = await catalogue.newest(signal).catch((error: unknown) => {
    const isTolerable = error instanceof ServiceFault || error instanceof Refusal;
    if (isAwaited || !isTolerable) throw error;
    progress.note(`${error.message}; the lists are asked for without it`);
    return undefined;
  });
  if (stock && stock.date <= date && stock.date > known.stock) {
    if (stock.date > known.published && !known.taken.has(stock.date)) {
      return await fillFolder({ ...plan, source: 'sirene', date: stock.date }, (folder) =>
        fetchStock(catalogue, stock, known.past, plan, folder),
      );
    }
    progress.note(`The stock of ${stock.date} came after later lists: the next one is taken`);
  }
  if (isAwaited && stock && stock.date < date) {
    const newest = `the newest one is of ${stock.date}`;
    throw new Refusal(`The stock of ${date} is not published yet; ${newest}`);
  }
  return await fillFolder({ ...plan, source: 'sirene' }, (folder) =>
    fetchLists(sirene, readyAt, listMissing(known.past, date), plan, folder),
  );
}

const isStock = ({ days }: Past) => !days;
const dateOf = ({ dump_date }: Past) => dump_date;
const byDay = (one: Past, other: Past) => one.dump_date.localeCompare(other.dump_date);

async function readKnown({ inboxDir, progress, findPublished }: FetchPlan): Promise<Known> {
  const inbox = join(inboxDir, 'sirene');
  const past = await readPast(inbox);
  const published = await findPublished().catch((error: unknown) => {
    progress.note(`What is published is not known: ${(error as Error).message}`);
    return undefined;
  });
  const reported = new Set(past.map(({ dump_date }) => dump_date));
  const days = await listInbox(inboxDir, 'sirene');
  const source = await loadSource('sirene');
  const others = published?.full === undefined ? new Set<string>() : new Set([published.full]);
  for (const day of days) {
    // A folder that does not hold a whole dump yet does not count as a stock.
    const dump = await listDump(source, join(inbox, day)).catch(() => undefined);
    if (dump?.source.dump_kind === 'full') others.add(day);
  }
  for (const dump_date of others) if (!reported.has(dump_date)) past.push({ dump_date });
  past.sort(byDay);
  const taken = new Set([...reported, ...days]);
  return {
    past,
    stock: past.filter(isStock).map(dateOf).toSorted().at(-1) ?? '',
    published: published ? (published.newest ?? '') : ([...taken].toSorted().at(-1) ?? ''),
    taken,
  };
}

async function readPast(inbox: string): Promise<Past[]> {
  const names = await readdir(inbox).catch(() => []);
  const reports = names.filter((name) => name.endsWith('.fetched.json'));
  return await Promise.all(
    reports.map(async (name) => JSON.parse(await readFile(join(inbox, name), 'utf8')) as Past),
  );
}

/**
 * Returns the days up to `date` that neither the last stock nor a fetch after the stock has brought, the oldest
 * first. Lists from before the stock do not count, since a stock that shows fewer days undoes their changes.
 */
function listMissing(past: readonly Past[], date: string): string[] {
  const last = past.findLast((one) => isStock(one) && one.dump_date < date);
  const shown = last ? lastWhole(last.dump_date) : addDays(date, -1);
  const later = past.filter(({ dump_date }) => dump_date > (last?.dump_date ?? ''));
  const fetched = new Set(later.flatMap(({ days = [] }) => days));
  const days = Array.from({ length: MOST_DAYS }, (_, back) => addDays(date, -back));
  return days.filter((day) => day > shown && !fetched.has(day)).toReversed();
}

async function fetchStock(
  catalogue: StockCatalogue,
  { date, files }: Stock,
  past: readonly Past[],
  plan: FetchPlan,
  { dump, work }: DumpFolder,
): Promise<FetchReport> {
  const { progress, signal } = plan;
  const last = past.findLast((one) => isStock(one) && one.rows !== undefined);
  progress.step('stock');
  const rows: Partial<Record<StockPart, number>> = {};
  for (const file of files) {
    const target = join(dump, file.name);
    const path = existsSync(target) ? target : join(work, `${file.version}-${file.name}`);
    if (path !== target) {
      await catalogue.service.retry(() => catalogue.download(file, path, signal), signal);
    }
    const count = await countRows(path).catch(async (cause: unknown) => {
      await rm(path);
      throw cause;
    });
    refuseShort(file, count, last);
    await rename(path, target);
    rows[file.part] = count;
    progress.count(Object.keys(rows).length, files.length);
  }
  if (rows.StockEtablissement! < rows.StockUniteLegale!) {
    throw new Refusal('The stock has fewer establishments than units');
  }
  const names = files.map(({ name }) => name);
  return createReport('sirene', { ...plan, date }, names, new Map(), { had: names.length, rows });
}

function refuseShort({ part, name }: StockFile, count: number, last: Past | undefined): void {
  const before = last?.rows?.[part] ?? 0;
  if (count >= before * LEAST_SHARE) return;
  throw new Refusal(
    `${name} has ${figure(count)} rows, less than ${LEAST_SHARE * 100} % of the last one, ` +
      `${figure(before)}. Where that is true, remove ${last!.dump_date}.fetched.json and run it again`,
  );
}

/** Returns the number of rows of a file. Reads an archive to its end, and throws a `Refusal` where it is damaged. */
async function countRows(path: string): Promise<number> {
  if (path.endsWith('.parquet')) {
    const { num_rows } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    return Number(num_rows);
  }
  let rows = -1;
  for await (const chunk of readArchive(path, { ...inflateBounds, bytes: 2 ** 36 })) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
  }
  return rows;
}
