import { WrongUsage } from '../../errors.ts';
import type { RateLimit } from '../../fetch/rate.ts';
import { Service, ServiceFault, type ServiceSettings } from '../../fetch/service.ts';
import {
  type BirRow,
  type Operation,
  type Parameters,
  readEnvelope,
  readRecords,
  SoapFault,
  UnreadableAnswer,
  writeEnvelope,
} from './soap.ts';

/** Returns the rate limits that GUS sets for one key, by the hour of the day in Poland. */
export function birLimits(hour: number): readonly RateLimit[] {
  const isOffice = hour >= 8 && hour < 17;
  const isNight = hour >= 22 || hour < 6;
  return [
    { count: isNight ? 4 : 3, window_ms: 1000 },
    { count: isOffice ? 120 : isNight ? 200 : 150, window_ms: 60_000 },
    { count: isOffice ? 6000 : isNight ? 10_000 : 8000, window_ms: 60 * 60_000 },
  ];
}

/** The largest number of REGON numbers in one search. REGON refuses a longer search with the error code 2. */
export const SEARCH_LIMIT = 20;

/** The maximum number of times that one call to BIR opens a new session because the session has ended. */
const RENEWAL_LIMIT = 3;

/** The parameter of a REGON search: one number, or up to `SEARCH_LIMIT` REGON9 in `Regony9zn`, separated by commas. */
export type BirQuery = Partial<Record<'Nip' | 'Regon' | 'Krs' | 'Regony9zn', string>>;

/**
 * Calls BIR, the SOAP 1.2 API of GUS for REGON. BIR may end a session at any time.
 *
 * The npm package bir1 does not suffice: its requests have no timeout, and the address is fixed. bir1 searches for one
 * number at a time, and renews no session. Packages for WSDL depend on axios, and do not handle sessions.
 */
export class Bir extends Service {
  readonly #key: string;
  /** A promise of the id of the current session of BIR; undefined if no session is open. */
  #session: Promise<string> | undefined;

  constructor({ key, ...settings }: ServiceSettings & { url: string; key: string }) {
    // The longest answer of BIR is a daily list: 200,000 numbers take about 20 MB.
    super('REGON', { limits: birLimits, max_bytes: 64 * 1024 ** 2, ...settings });
    this.#key = key;
  }

  /** Returns a daily list of BIR, with a row `{regon}` per number; if BIR reports an error, a row with `ErrorCode`. */
  list(report: string, date: string): Promise<BirRow[]> {
    const parameters = { pDataRaportu: date, pNazwaRaportu: report };
    return this.#read('DanePobierzRaportZbiorczy', parameters);
  }

  /** Returns a full report on a REGON of 9 or 14 digits; if BIR reports an error, a row with `ErrorCode`. */
  report(report: string, regon: string): Promise<BirRow[]> {
    return this.#read('DanePobierzPelnyRaport', { pRegon: regon, pNazwaRaportu: report });
  }

  /** Searches REGON, and returns one row for each activity of each entity that matches the query. */
  search(query: BirQuery): Promise<BirRow[]> {
    return this.#read('DaneSzukajPodmioty', { pParametryWyszukiwania: query });
  }

  /** Returns the records in the answer of a BIR operation. Opens a session if none is open or the session has ended. */
  async #read(operation: Operation, parameters: Parameters): Promise<BirRow[]> {
    for (let renewals = 0; renewals <= RENEWAL_LIMIT; renewals += 1) {
      const session = (this.#session ??= this.#login());
      const forget = () => {
        if (this.#session === session) this.#session = undefined;
      };
      session.catch(forget);
      const sid = await session;
      const rows = await this.retry(() => this.#call(operation, parameters, readRecords, sid));
      if (rows) return rows;
      // A blank answer means that the session has ended or that the answer has no records.
      const status = await this.retry(() => this.#value('StatusSesji', sid));
      if (status === '1') return [];
      forget();
    }
    throw new ServiceFault('REGON ends every session as soon as it is opened');
  }

  #login(): Promise<string> {
    return this.retry(async () => {
      const key = { pKluczUzytkownika: this.#key };
      const sid = await this.#call('Zaloguj', key, String);
      if (sid !== '') return sid;
      const status = await this.#value('StatusUslugi');
      if (status !== '0' && status !== '2') {
        throw new WrongUsage('BIR_API_KEY is not accepted: REGON opens no session with it.');
      }
      throw this.fault('is closed for a technical break');
    });
  }

  /** Returns a status value of BIR or of a session, without a retry. */
  #value(name: string, sid?: string): Promise<string> {
    return this.#call('GetValue', { pNazwaParametru: name }, String, sid);
  }

  /** Calls a BIR operation without a retry, and returns the result as parsed by `readResult`. */
  #call<T>(
    operation: Operation,
    parameters: Parameters,
    readResult: (text: string) => T,
    sid?: string,
  ): Promise<T> {
    const question = {
      method: 'POST',
      headers: {
        'Content-Type': 'application/soap+xml; charset=utf-8',
        ...(sid === undefined ? {} : { sid }),
      },
      body: writeEnvelope(this.url, operation, parameters),
    };
    const read = async (answer: Response) => {
      try {
        const result = readResult(readEnvelope(operation, await answer.text()));
        if (answer.status === 200) return result;
      } catch (error) {
        if (error instanceof SoapFault) {
          throw this.fault(`answers with a fault: ${error.message}`, error);
        }
        if (!(error instanceof UnreadableAnswer)) throw error;
        if (answer.status === 200) throw this.fault(`sends ${error.message}`, error);
      }
      throw this.statusFault(answer);
    };
    return this.askOnce('', read, question);
  }
}

/** Returns the code of an error answer of BIR (4: not found; 11, 21, 22: no data), which fetch-report.ts judges. */
export function errorCodeOf(rows: readonly BirRow[]): string | undefined {
  return rows.map(({ ErrorCode }) => ErrorCode).find((code) => code !== undefined && code !== '');
}
