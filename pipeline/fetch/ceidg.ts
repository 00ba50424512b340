import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readArchive } from '../dump/archive.ts';
import { Refusal } from '../errors.ts';
import { description, NO_VOIVODESHIP, voivodeships } from '../sources/ceidg/source.ts';
import { clearEarlier, fillFolder } from './folder.ts';
import { createReport, type FetchPlan, type FetchReport } from './report.ts';
import { askEvery } from './missing-answers.ts';
import { Service, type ServiceSettings } from './service.ts';

/** The documented rate limits. CEIDG shuts out a client above them for three minutes. */
const limits = () => [
  { count: 50, window_ms: 3 * 60_000 },
  { count: 1000, window_ms: 60 * 60_000 },
];

/** The most bytes of a report. A report of a voivodeship has some ten megabytes. */
const REPORT_BYTES = 1024 ** 3;

const report = z
  .object({
    id: z.string(),
    /** The name of the report, such as "Zarejestrowane działalności - województwo łódzkie". */
    nazwa: z.string(),
    /** The format of the report, `.csv` or `.xml`. */
    format: z.string(),
    /** The time of creation, YYYY-MM-DD hh:mm:ss. The manual of the service names the key `dataUtworzenia`. */
    'data-utworzenia': z.string().default(''),
    dataUtworzenia: z.string().optional(),
  })
  .transform((one) => ({ ...one, made_at: one.dataUtworzenia ?? one['data-utworzenia'] }));

const reportList = z.object({ raporty: z.array(report) });

const entryList = z.object({ firma: z.array(z.record(z.string(), z.unknown())).default([]) });

/** An entry as `/firma` returns it: id, nazwa, wlasciciel, adresDzialalnosci, status, pkd and so on. */
export type CeidgEntry = Record<string, unknown>;

/** Calls the data warehouse of CEIDG, version 3: daily reports, and single entries. */
export class Ceidg extends Service {
  /** @param settings.url the address up to and including the version, `/api/ceidg/v3` */
  constructor({ token, ...settings }: ServiceSettings & { url: string; token: string }) {
    const headers = { Authorization: `Bearer ${token}` };
    const defaults = { secret: 'CEIDG_TOKEN', headers, limits, max_bytes: 16 * 1024 ** 2 };
    super('CEIDG', { ...defaults, ...settings });
  }

  /** Downloads one report to a file, in one attempt. Throws a fault for a damaged archive. */
  async download(id: string, path: string): Promise<void> {
    // The address in the list of reports may lead to another server, which must not see the token.
    await this.save(`/raport/${encodeURIComponent(id)}`, path, REPORT_BYTES);
    try {
      // Some proxies end a download normally although its connection was cut.
      for await (const chunk of readArchive(path)) void chunk;
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      throw this.fault(`sends a report that is no whole archive: ${cause.message}`, cause);
    }
  }

  /** Returns the entries of a NIP or a REGON for an import, of any status. A person may have several entries. */
  async entries(query: { nip: string } | { regon: string }): Promise<CeidgEntry[]> {
    const path = `/firma?${new URLSearchParams(query).toString()}`;
    const none = { firma: [] };
    const meanings = { 204: none, 404: none };
    return (await this.askJson(path, entryList, 'list of entries', meanings)).firma;
  }
}

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
    const { date, progress } = plan;
    progress.step('list of reports');
    const ids = await chooseReports(ceidg, date);
    progress.step('reports');
    const missing = await askEvery([...ids.keys()], {
      onProgress: (done) => progress.count(done, parts.size),
      ask: async (part) => {
        const name = `${parts.get(part)!.file}.zip`;
        const [path, download] = [join(folder.dump, name), join(folder.work, name)];
        if (existsSync(path)) return;
        await ceidg.retry(() => ceidg.download(ids.get(part)!, download));
        await rename(download, path);
      },
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

/** Returns the id of the newest report of a day for each part of the country. Throws a `Refusal` when one is missing. */
async function chooseReports(ceidg: Ceidg, date: string): Promise<Map<string, string>> {
  // The list has the reports of the last days, of both kinds and both formats.
  const { raporty } = await ceidg.askJson('/raporty', reportList, 'list of reports');
  const offered = raporty
    .filter(({ nazwa, format }) => format === '.csv' && nazwa.normalize('NFC').startsWith(KIND))
    .toSorted((one, other) => one.made_at.localeCompare(other.made_at));
  const ofDay = offered.filter(({ made_at }) => made_at.startsWith(date));
  const ids = new Map(
    ofDay.map(({ nazwa, id }) => [description.identifyFile(`${nazwa}.zip`)!, id]),
  );
  const absent = [...parts].flatMap(([part, { name }]) => (ids.has(part) ? [] : [name]));
  if (absent.length === 0) return ids;
  if (ids.size > 0) {
    const found = `CEIDG has ${ids.size} of the ${parts.size} reports of ${date}`;
    throw new Refusal(`${found}; not yet: ${absent.join(', ')}`);
  }
  const days = new Set(offered.map(({ made_at }) => made_at.slice(0, 10)));
  const others = [...days].join(', ') || 'no day';
  throw new Refusal(`CEIDG has no reports made on ${date}; it has those of ${others}`);
}
