import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readArchive } from '../../dump/archive.ts';
import { Refusal } from '../../errors.ts';
import { description, NO_VOIVODESHIP, voivodeships } from './source.ts';
import { clearEarlier, fillFolder } from '../../fetch/folder.ts';
import { createReport, type FetchPlan, type FetchReport } from '../../fetch/report.ts';
import { askEvery } from '../../fetch/missing-answers.ts';
import { Service, type ServiceSettings } from '../../fetch/service.ts';

/** The rate limits that CEIDG documents. CEIDG blocks a client that exceeds the limits for three minutes. */
const limits = () => [
  { count: 50, window_ms: 3 * 60_000 },
  { count: 1000, window_ms: 60 * 60_000 },
];

/** The largest accepted size of a report of CEIDG, in bytes. The report of one voivodeship has about ten megabytes. */
const REPORT_BYTES = 1024 ** 3;

const report = z
  .object({
    id: z.string(),
    /** The name of a report, such as "Zarejestrowane działalności - województwo łódzkie". */
    nazwa: z.string(),
    /** The file format of a report, `.csv` or `.xml`. */
    format: z.string(),
    /** The time at which CEIDG made the report, YYYY-MM-DD hh:mm:ss. CEIDG's manual calls it `dataUtworzenia`. */
    'data-utworzenia': z.string().default(''),
    dataUtworzenia: z.string().optional(),
  })
  .transform((one) => ({ ...one, made_at: one.dataUtworzenia ?? one['data-utworzenia'] }));

const reportList = z.object({ raporty: z.array(report) });

const entryList = z.object({ firma: z.array(z.record(z.string(), z.unknown())).default([]) });

/** An entry of CEIDG as the path `/firma` returns it, with the keys id, nazwa, wlasciciel, status, pkd and so on. */
export type CeidgEntry = Record<string, unknown>;

/** Calls version 3 of the CEIDG API, which has daily reports and single entries. */
export class Ceidg extends Service {
  /** @param settings.url the address of the API up to and including the version, `/api/ceidg/v3` */
  constructor({ token, ...settings }: ServiceSettings & { url: string; token: string }) {
    const headers = { Authorization: `Bearer ${token}` };
    const defaults = { secret: 'CEIDG_TOKEN', headers, limits, max_bytes: 16 * 1024 ** 2 };
    super('CEIDG', { ...defaults, ...settings });
  }

  /** Downloads one report of CEIDG to `path`, without a retry. Throws a `ServiceFault` if the report is damaged. */
  async download(id: string, path: string): Promise<void> {
    // The download address is built here, because an address from CEIDG's list could send the token to another server.
    await this.save(`/raport/${encodeURIComponent(id)}`, path, REPORT_BYTES);
    try {
      // The archive is read to its end, because some proxies end a cut-off download without an error.
      for await (const chunk of readArchive(path)) void chunk;
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      throw this.fault(`sends a report that is no whole archive: ${cause.message}`, cause);
    }
  }

  /** Returns all CEIDG entries of the person with a given NIP or REGON, in any status. */
  async entries(query: { nip: string } | { regon: string }): Promise<CeidgEntry[]> {
    const path = `/firma?${new URLSearchParams(query).toString()}`;
    const none = { firma: [] };
    const meanings = { 204: none, 404: none };
    return (await this.askJson(path, entryList, 'list of entries', meanings)).firma;
  }
}

const KIND = 'Zarejestrowane działalności';

/** Maps the key of each part of a CEIDG dump to the part's name, and to its file's name without `.zip`. */
const parts = new Map(
  [...voivodeships, NO_VOIVODESHIP].map(({ name }) => {
    const file = `${KIND} - ${name === NO_VOIVODESHIP.name ? name : `województwo ${name}`}`;
    return [description.identifyFile(`${file}.zip`)!, { name, file }];
  }),
);

/**
 * Fetches the CEIDG dump of a day: a report "Zarejestrowane działalności" for each voivodeship, and one for the entries
 * without a voivodeship. Reads each `.zip` file to its end to find damaged files. Throws a `Refusal` if the report of a
 * voivodeship is missing, and a `ServiceFault` if CEIDG sends no list of reports. Throws `NothingToDo` if the day is
 * already fetched, and `AlreadyRunning` if another process fetches it.
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
    // A full dump makes unfinished dumps of earlier days superfluous, so they are deleted.
    await clearEarlier(folder);
    return createReport('ceidg', plan, [...parts.keys()], new Map(), { had: parts.size });
  });
}

/** Returns the id of the newest CEIDG report for each part of the dump. Throws a `Refusal` if a part has no report. */
async function chooseReports(ceidg: Ceidg, date: string): Promise<Map<string, string>> {
  // CEIDG lists the reports of the last days as `.csv` and `.xml`, together with reports of submitted applications.
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
