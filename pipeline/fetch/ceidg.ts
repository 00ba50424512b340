import { z } from 'zod';
import type { RateLimit } from './rate.ts';
import { Service, type ServiceSettings } from './service.ts';

/** The documented rate limits. CEIDG shuts out a client above them for three minutes. */
const limits: readonly RateLimit[] = [
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
    'data-utworzenia': z.string().optional(),
    dataUtworzenia: z.string().optional(),
  })
  .transform(({ nazwa: name, dataUtworzenia, 'data-utworzenia': created_at, ...rest }) => ({
    ...rest,
    name,
    created_at: created_at ?? dataUtworzenia ?? '',
  }));

export type CeidgReport = z.output<typeof report>;

const reportList = z.object({ raporty: z.array(report) });

const entryList = z.object({ firma: z.array(z.record(z.string(), z.unknown())).default([]) });

/** An entry as `/firma` returns it: id, nazwa, wlasciciel, adresDzialalnosci, status, pkd and so on. */
export type CeidgEntry = Record<string, unknown>;

/** Calls the data warehouse of CEIDG, version 3: daily reports, and single entries. */
export class Ceidg {
  readonly service: Service;
  readonly #url: string;
  readonly #headers: Record<string, string>;

  /** @param settings.url the address up to and including the version, `/api/ceidg/v3` */
  constructor({ url, token, ...settings }: ServiceSettings & { url: string; token: string }) {
    this.#url = url.replace(/\/+$/, '');
    this.#headers = { Authorization: `Bearer ${token}` };
    const defaults = { secret: 'CEIDG_TOKEN', limits, max_bytes: 16 * 1024 ** 2 };
    this.service = new Service('CEIDG', { ...defaults, ...settings });
  }

  /** Returns all reports on offer: of the last days, of both kinds and both formats. */
  async reports(signal?: AbortSignal): Promise<CeidgReport[]> {
    const read = (answer: Response) => this.service.readJson(answer, reportList, 'list of reports');
    return (await this.#get('/raporty', read, signal)).raporty;
  }

  /** Downloads one report to a file, in one attempt: only the file shows whether the report is whole. */
  download(id: string, path: string, signal?: AbortSignal): Promise<void> {
    // The address in the list of reports may lead to another server, which must not see the token.
    const url = `${this.#url}/raport/${encodeURIComponent(id)}`;
    const question = { headers: this.#headers, max_bytes: REPORT_BYTES };
    return this.service.download(url, path, question, signal);
  }

  /** Returns the entries of a NIP or a REGON, of any status. A person may have several entries. */
  entries(query: { nip: string } | { regon: string }, signal?: AbortSignal): Promise<CeidgEntry[]> {
    const read = async (answer: Response) => {
      if (answer.status === 204 || answer.status === 404) return [];
      return (await this.service.readJson(answer, entryList, 'list of entries')).firma;
    };
    return this.#get(`/firma?${new URLSearchParams(query).toString()}`, read, signal);
  }

  #get<T>(path: string, read: (answer: Response) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.service.ask(this.#url + path, { headers: this.#headers }, read, signal);
  }
}
