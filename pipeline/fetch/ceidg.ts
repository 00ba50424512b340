import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { WrongUsage } from '../errors.ts';
import type { RateLimit } from './rate.ts';
import { type Answer, describeText, type RetryPolicy, Service, ServiceFault } from './service.ts';

/** As documented; who asks more is shut out for three minutes. */
const limits: readonly RateLimit[] = [
  { count: 50, window_ms: 3 * 60_000 },
  { count: 1000, window_ms: 60 * 60_000 },
];

/** A report of a voivodeship has some ten megabytes. */
const REPORT_BYTES = 1024 ** 3;

const reportList = z.object({
  raporty: z.array(
    z.object({
      id: z.string(),
      nazwa: z.string(),
      format: z.string(),
      'data-utworzenia': z.string().optional(),
      dataUtworzenia: z.string().optional(),
    }),
  ),
});

/** A report that CEIDG offers. */
export interface CeidgReport {
  id: string;
  /** Such as "Zarejestrowane działalności - województwo łódzkie". */
  name: string;
  /** `.csv` or `.xml`. */
  format: string;
  /** YYYY-MM-DD hh:mm:ss. */
  created_at: string;
}

/** An entry as `/firma` gives it: id, nazwa, wlasciciel, adresDzialalnosci, status, pkd and so on. */
export type CeidgEntry = Record<string, unknown>;

export interface CeidgSettings {
  /** Up to and with the version, `/api/ceidg/v3`. */
  url: string;
  token: string;
  limits?: readonly RateLimit[];
  retry?: RetryPolicy;
  /** For an answer; of a report, for each piece of it. */
  timeout_ms?: number;
  max_bytes?: number;
  onRetry?: (sentence: string, wait_ms: number) => void;
}

/** The data warehouse of CEIDG, version 3: daily reports, and entries one by one. */
export class Ceidg {
  readonly service: Service;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #max_bytes: number;

  constructor(settings: CeidgSettings) {
    this.#url = settings.url.replace(/\/+$/, '');
    this.#headers = { Authorization: `Bearer ${settings.token}` };
    this.#max_bytes = settings.max_bytes ?? REPORT_BYTES;
    this.service = new Service({
      name: 'CEIDG',
      limits: settings.limits ?? limits,
      timeout_ms: settings.timeout_ms ?? 60_000,
      max_bytes: Math.min(this.#max_bytes, 16 * 1024 ** 2),
      onRetry: settings.onRetry,
      ...(settings.retry ? { retry: settings.retry } : {}),
    });
  }

  /** All reports on offer: of the last days, of both kinds and both formats. */
  reports(signal?: AbortSignal): Promise<CeidgReport[]> {
    const read = (answer: Answer) => {
      const list = reportList.safeParse(this.#parse(answer));
      if (!list.success) throw this.service.contentFault('no list of reports', list.error);
      return list.data.raporty.map((report) => ({
        id: report.id,
        name: report.nazwa,
        format: report.format,
        // The documents spell it in the second way, the service in the first.
        created_at: report['data-utworzenia'] ?? report.dataUtworzenia ?? '',
      }));
    };
    return this.#get('/raporty', read, signal);
  }

  /**
   * Writes one report to a file, whose former content is lost: one try, for the caller has to look
   * at the file before it knows whether it is whole.
   */
  download(id: string, path: string, signal?: AbortSignal): Promise<void> {
    // Not from the address in the list: the token goes nowhere else.
    const url = `${this.#url}/raport/${encodeURIComponent(id)}`;
    const request = { headers: this.#headers, max_bytes: this.#max_bytes, isSlow: true };
    return this.service.receive(
      url,
      request,
      async (response, bytes) => {
        if (response.status !== 200) throw this.#statusFault(response);
        await pipeline(bytes, createWriteStream(path));
      },
      signal,
    );
  }

  /** The entries of a NIP or a REGON, of which there may be several; none is an empty list. */
  entries(query: { nip: string } | { regon: string }, signal?: AbortSignal): Promise<CeidgEntry[]> {
    const read = (answer: Answer) => {
      if (answer.status === 204 || answer.status === 404) return [];
      const { firma = [] } = this.#parse(answer) as { firma?: unknown };
      if (!Array.isArray(firma)) throw this.service.contentFault('no list of entries');
      return firma as CeidgEntry[];
    };
    return this.#get(`/firma?${new URLSearchParams(query).toString()}`, read, signal);
  }

  #get<T>(path: string, read: (answer: Answer) => T, signal?: AbortSignal): Promise<T> {
    return this.service.ask(this.#url + path, { headers: this.#headers }, read, signal);
  }

  #parse(answer: Answer): object {
    if (answer.status !== 200) throw this.#statusFault(answer);
    let content: unknown;
    try {
      content = JSON.parse(answer.text);
    } catch (cause) {
      throw this.service.contentFault(`${describeText(answer.text)} in place of JSON`, cause);
    }
    if (typeof content !== 'object' || content === null) {
      throw this.service.contentFault('JSON that is no object');
    }
    return content;
  }

  #statusFault(answer: { status: number; headers: Headers }): Error {
    const fault = this.service.statusFault(answer);
    const { status } = answer;
    if (status === 403 && answer.headers.has('retry-after')) {
      // Who asks too much is sometimes told so with this status.
      return new ServiceFault(fault.message, { isPassing: true, break_ms: fault.break_ms });
    }
    if (status === 401 || status === 403) {
      return new WrongUsage(`CEIDG_TOKEN is not accepted: CEIDG answers with HTTP ${status}.`);
    }
    return fault;
  }
}

/** Asks CEIDG for one company now, by NIP or REGON: its entries as the API gives them. */
export function askCeidg(
  ceidg: Ceidg,
  query: { nip: string } | { regon: string },
  signal?: AbortSignal,
): Promise<CeidgEntry[]> {
  return ceidg.entries(query, signal);
}
