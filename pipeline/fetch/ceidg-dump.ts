import { readFileSync } from 'node:fs';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import pLimit from 'p-limit';
import { readArchive } from '../dump/archive.ts';
import { Refusal } from '../errors.ts';
import { description } from '../sources/ceidg/source.ts';
import type { Ceidg, CeidgReport } from './ceidg.ts';
import { type DumpFolder, fillFolder } from './folder.ts';
import type { FetchPlan, FetchReport } from './report.ts';
import { ServiceFault } from './service.ts';

/** Archives at once: large files, and few requests are allowed. */
const WIDTH = 3;

const KIND = 'Zarejestrowane działalności';

const NO_VOIVODESHIP = 'brak województwa';

const voivodeships = parse<{ name: string }>(
  readFileSync(new URL('../../sql/dictionary/voivodeship.csv', import.meta.url)),
  { columns: true },
).map(({ name }) => name);

/** Part of the country → the name of its file, without `.zip`. */
const parts = new Map([
  ...voivodeships.map((name): [string, string] => [name, `${KIND} - województwo ${name}`]),
  [NO_VOIVODESHIP, `${KIND} - ${NO_VOIVODESHIP}`],
]);

/**
 * Fetches the snapshot of CEIDG that was made on a day: the reports "Zarejestrowane działalności",
 * one a voivodeship and one for the entries without, as `.zip` files whose content is checked to
 * the end. It is a full dump, so that it needs every one of them.
 *
 * Throws a `Refusal` when a report is not there or cannot be had, `NothingToDo`, `AlreadyRunning`,
 * a `ServiceFault` when the list cannot be had.
 */
export function fetchCeidg(ceidg: Ceidg, plan: FetchPlan): Promise<FetchReport> {
  return fillFolder({ ...plan, source: 'ceidg' }, async (folder) => {
    const { date, progress, signal } = plan;
    progress.step('list of reports');
    const reports = chooseReports(await ceidg.reports(signal), date);
    progress.step('reports');
    const missing = new Map<string, string>();
    const limit = pLimit(WIDTH);
    let done = 0;
    const jobs = [...reports].map(([part, { id }]) =>
      limit(async () => {
        signal.throwIfAborted();
        try {
          await fetchReport(ceidg, id, parts.get(part)!, folder, signal);
        } catch (error) {
          if (!(error instanceof ServiceFault)) throw error;
          missing.set(part, error.message);
        }
        done += 1;
        progress.count(done, parts.size);
      }),
    );
    // What fails for good waits for those under way: nobody writes any more when this has thrown.
    const failed = (await Promise.allSettled(jobs)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    refuseMissing(missing, date);
    return {
      source: 'ceidg',
      dump_date: date,
      state: 'fetched',
      asked: parts.size,
      had: parts.size,
      not_found: [],
      without_extract: [],
      odd: [],
      missing: [],
    };
  });
}

/** The newest report of that day for each part of the country. */
function chooseReports(offered: readonly CeidgReport[], date: string): Map<string, CeidgReport> {
  const chosen = new Map<string, CeidgReport>();
  const days = new Set<string>();
  for (const report of offered) {
    if (report.format !== '.csv' || !report.name.normalize('NFC').startsWith(KIND)) continue;
    days.add(report.created_at.slice(0, 10));
    if (!report.created_at.startsWith(date)) continue;
    const part = description.identifyFile(`${report.name}.zip`);
    if (part === null) continue;
    const other = chosen.get(part);
    if (!other || other.created_at < report.created_at) chosen.set(part, report);
  }
  if (chosen.size === 0) {
    const others = [...days].toSorted().join(', ') || 'no day';
    throw new Refusal(`CEIDG has no reports made on ${date}; it has those of ${others}`);
  }
  const absent = [...parts.keys()].filter((part) => !chosen.has(part));
  if (absent.length > 0) {
    throw new Refusal(
      `CEIDG has ${chosen.size} of the ${parts.size} reports of ${date}; not yet: ${absent.join(', ')}`,
    );
  }
  return chosen;
}

async function fetchReport(
  ceidg: Ceidg,
  id: string,
  name: string,
  { dump, work }: DumpFolder,
  signal: AbortSignal,
): Promise<void> {
  const path = join(dump, `${name}.zip`);
  if (existsSync(path)) return;
  const download = join(work, `${name}.zip`);
  await ceidg.service.insist(async () => {
    await ceidg.download(id, download, signal);
    await checkArchive(ceidg, download);
  }, signal);
  await rename(download, path);
}

/** A connection that is cut looks like the end of the file to some servers in between. */
async function checkArchive(ceidg: Ceidg, path: string): Promise<void> {
  try {
    for await (const chunk of readArchive(path)) void chunk;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw ceidg.service.contentFault(`a report that is no whole archive: ${cause.message}`, cause);
  }
}

function refuseMissing(missing: ReadonlyMap<string, string>, date: string): void {
  if (missing.size === 0) return;
  const list = [...missing].map(([part, reason]) => `${part} (${reason})`).join('; ');
  throw new Refusal(
    `${missing.size} of the ${parts.size} reports of ${date} could not be had: ${list}. Run it again later, what was had is kept`,
  );
}
