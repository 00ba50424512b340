import { WrongUsage } from '../errors.ts';
import type { RateLimit } from './rate.ts';
import { describeText, type RetryPolicy, Service, ServiceFault } from './service.ts';
import {
  type BirRow,
  type Operation,
  type Parameters,
  readResult,
  readRows,
  SoapFault,
  UnreadableAnswer,
  writeEnvelope,
} from './soap.ts';

/**
 * What GUS allows one key in office hours. In the early morning, in the evening and at night it is
 * said to allow more, which is not relied on.
 */
const limits: readonly RateLimit[] = [
  { count: 3, window_ms: 1000 },
  { count: 120, window_ms: 60_000 },
  { count: 6000, window_ms: 60 * 60_000 },
];

/** A search for more numbers at once is refused with code 2. */
export const SEARCH_LIMIT = 20;

/** How often a call may meet a session that has ended. */
const RENEWAL_LIMIT = 3;

export interface BirSettings {
  url: string;
  key: string;
  limits?: readonly RateLimit[];
  retry?: RetryPolicy;
  timeout_ms?: number;
  max_bytes?: number;
  onRetry?: (sentence: string, wait_ms: number) => void;
}

/** By what an entity is looked for; `regons9` holds at most `SEARCH_LIMIT` numbers. */
export type BirQuery =
  { nip: string } | { regon: string } | { krs: string } | { regons9: string[] };

/**
 * The service BIR of GUS, which answers from REGON: SOAP 1.2 with a session that ends whenever it
 * likes. It is not called through the package bir1, which has a fixed address, no time limit, and
 * takes an ended session for an empty answer.
 */
export class Bir {
  readonly service: Service;
  readonly #settings: BirSettings;
  /** The session that is open, or being opened. */
  #session: Promise<string> | undefined;

  constructor(settings: BirSettings) {
    this.#settings = settings;
    this.service = new Service({
      name: 'REGON',
      limits: settings.limits ?? limits,
      timeout_ms: settings.timeout_ms ?? 60_000,
      // The longest answers: a day's list, or an entity with thousands of units.
      max_bytes: settings.max_bytes ?? 64 * 1024 ** 2,
      onRetry: settings.onRetry,
      ...(settings.retry ? { retry: settings.retry } : {}),
    });
  }

  /** A daily list: the rows hold a `regon` each. */
  list(report: string, date: string, signal?: AbortSignal): Promise<BirRow[]> {
    const parameters = { pDataRaportu: date, pNazwaRaportu: report };
    return this.#rows('DanePobierzRaportZbiorczy', parameters, signal);
  }

  /** A full report of a REGON of 9 or 14 digits; an error answer is a row with `ErrorCode`. */
  report(report: string, regon: string, signal?: AbortSignal): Promise<BirRow[]> {
    const parameters = { pRegon: regon, pNazwaRaportu: report };
    return this.#rows('DanePobierzPelnyRaport', parameters, signal);
  }

  /** One row an activity of every entity found, as `DaneSzukajPodmioty` gives it. */
  search(query: BirQuery, signal?: AbortSignal): Promise<BirRow[]> {
    const parameter: Record<string, string> =
      'nip' in query
        ? { Nip: query.nip }
        : 'krs' in query
          ? { Krs: query.krs }
          : 'regon' in query
            ? { Regon: query.regon }
            : { Regony9zn: query.regons9.join(',') };
    return this.#rows('DaneSzukajPodmioty', { pParametryWyszukiwania: parameter }, signal);
  }

  /** Ends the session, if GUS still wants to know. */
  async close(): Promise<void> {
    const sid = await this.#session?.catch(() => undefined);
    this.#session = undefined;
    if (sid === undefined) return;
    const timeout = AbortSignal.timeout(2000);
    await this.#once('Wyloguj', { pIdentyfikatorSesji: sid }, sid, timeout).catch(() => undefined);
  }

  /** The records that one operation within a session gives; a session that has ended is replaced. */
  async #rows(
    operation: Operation,
    parameters: Parameters,
    signal?: AbortSignal,
  ): Promise<BirRow[]> {
    for (let renewals = 0; renewals <= RENEWAL_LIMIT; renewals += 1) {
      const session = (this.#session ??= this.#login(signal));
      const sid = await session.catch((error: unknown) => {
        if (this.#session === session) this.#session = undefined;
        throw error;
      });
      const rows = await this.#ask(operation, parameters, sid, readSomeRows, signal);
      if (rows) return rows;
      // A session that has ended answers with nothing at all, like an entity without data.
      if (await this.#isAlive(sid, signal)) return [];
      if (this.#session === session) this.#session = undefined;
    }
    const message = 'REGON ends every session as soon as it is opened';
    throw new ServiceFault(message, { isPassing: false });
  }

  async #login(signal?: AbortSignal): Promise<string> {
    const parameters = { pKluczUzytkownika: this.#settings.key };
    return await this.service.insist(async () => {
      const sid = (await this.#once('Zaloguj', parameters, undefined, signal)).trim();
      if (sid !== '') return sid;
      const status = await this.#once(
        'GetValue',
        { pNazwaParametru: 'StatusUslugi' },
        undefined,
        signal,
      );
      if (status === '0' || status === '2') {
        throw new ServiceFault('REGON is closed for a technical break', { isPassing: true });
      }
      throw new WrongUsage('BIR_API_KEY is not accepted: REGON opens no session with it.');
    }, signal);
  }

  async #isAlive(sid: string, signal?: AbortSignal): Promise<boolean> {
    const parameters = { pNazwaParametru: 'StatusSesji' };
    return await this.#ask('GetValue', parameters, sid, (text) => text.trim() === '1', signal);
  }

  #ask<T>(
    operation: Operation,
    parameters: Parameters,
    sid: string,
    read: (result: string) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.service.insist(async () => {
      const text = await this.#once(operation, parameters, sid, signal);
      try {
        return read(text);
      } catch (error) {
        throw error instanceof UnreadableAnswer
          ? this.service.contentFault(error.message, error)
          : error;
      }
    }, signal);
  }

  /** One request; its result as text. */
  async #once(
    operation: Operation,
    parameters: Parameters,
    sid: string | undefined,
    signal?: AbortSignal,
  ): Promise<string> {
    const { url } = this.#settings;
    const answer = await this.service.exchange(
      url,
      {
        method: 'POST',
        headers: {
          'Content-Type': 'application/soap+xml; charset=utf-8',
          ...(sid === undefined ? {} : { sid }),
        },
        body: writeEnvelope(url, operation, parameters),
      },
      signal,
    );
    try {
      const result = readResult(answer.text, operation);
      if (answer.status !== 200) throw this.service.statusFault(answer);
      return result;
    } catch (error) {
      if (error instanceof SoapFault) {
        const message = `REGON answers with a fault: ${error.message}`;
        throw new ServiceFault(message, { isPassing: true, cause: error });
      }
      if (!(error instanceof UnreadableAnswer)) throw error;
      if (answer.status !== 200) throw this.service.statusFault(answer);
      const looks = describeText(answer.text);
      const what = looks === 'something unreadable' ? error.message : looks;
      throw this.service.contentFault(what, error);
    }
  }
}

/** Undefined for an answer with nothing in it. */
function readSomeRows(result: string): BirRow[] | undefined {
  return result.trim() === '' ? undefined : readRows(result);
}

/** The code of an error answer: 4 not found, 11, 21 and 22 nothing to tell; undefined for data. */
export function errorCodeOf(rows: readonly BirRow[]): string | undefined {
  return rows.map(({ ErrorCode }) => ErrorCode).find((code) => code !== undefined && code !== '');
}
