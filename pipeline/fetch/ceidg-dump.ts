import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readArchive } from '../dump/archive.ts';
import { Refusal } from '../errors.ts';
import { description, NO_VOIVODESHIP, voivodeships } from '../sources/ceidg/source.ts';
import type { Ceidg, CeidgReport } from './ceidg.ts';
import { clearEarlier, type DumpFolder, fillFolder } from './folder.ts';
import { createReport, type FetchPlan, type FetchReport } from './report.ts';
import { askEvery } from './round.ts';

/** The number of archives that are downloaded in parallel. */
const WIDTH = 3;

const KIND = 'Zarejestrowane działalności';

/** Maps a part of the dump to the names of the part and of its file, without `.zip`. */
const parts = new Map(
  [...voivodeships, NO_VOIVODESHIP].map(({ name }) => {
    const file = `${KIND} - ${name === NO_VOIVODESHIP.name ? name : `województwo ${name}`}`;
    return [description.identifyFile(`${file}.zip`)!, { name, file }];
  }),
);

/**
 * Fetches the CEIDG snapshot of a day: a report "Zarejestrowane działalności" per voivodeship, and one for entries
 * without a voivodeship. Checks each `.zip` file to the end. A full dump needs all reports.
 * Throws a `Refusal` when a report is missing, `NothingToDo`, `AlreadyRunning`, or a `ServiceFault`
 * when there is no list of reports.
 */
export function fetchCeidg(ceidg: Ceidg, plan: FetchPlan): Promise<FetchReport> {
  return fillFolder({ ...plan, source: 'ceidg' }, async (folder) => {
    const { date, progress, signal } = plan;
    progress.step('list of reports');
    const reports = chooseReports(await ceidg.reports(signal), date);
    progress.step('reports');
    const missing = await askEvery([...reports.keys()], {
      width: WIDTH,
      signal,
      onProgress: (done) => progress.count(done, parts.size),
      ask: (part, ending) =>
        fetchReport(ceidg, reports.get(part)!.id, parts.get(part)!.file, folder, ending),
    });
    if (missing.length > 0) {
      const list = missing.map(({ number, reason }) => `${parts.get(number)!.name} (${reason})`);
      throw new Refusal(
        `${missing.length} of the ${parts.size} reports of ${date} could not be had: ${list.join('; ')}. Run it again later, what was had is kept`,
      );
    }
    // A full dump makes unfinished dumps of earlier days superfluous.
    await clearEarlier(folder);
    return createReport('ceidg', plan, [...parts.keys()], new Map(), { had: parts.size });
  });
}

/** Returns the newest report of a day for each part of the country. Throws a `Refusal` when one is missing. */
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
  const absent = [...parts].flatMap(([part, { name }]) => (chosen.has(part) ? [] : [name]));
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
  await ceidg.service.retry(async () => {
    await ceidg.download(id, download, signal);
    await checkArchive(ceidg, download);
  }, signal);
  await rename(download, path);
}

/** Throws a fault for a damaged archive: some proxies end a download normally although its connection was cut. */
async function checkArchive(ceidg: Ceidg, path: string): Promise<void> {
  try {
    for await (const chunk of readArchive(path)) void chunk;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw ceidg.service.fault(`sends a report that is no whole archive: ${cause.message}`, cause);
  }
}
