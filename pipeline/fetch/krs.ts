import { join } from 'node:path';
import { fillFolder, joinLines, readLines, writeWhole } from './folder.ts';
import { Journal } from './journal.ts';
import type { RateLimit } from './rate.ts';
import { type FetchPlan, type FetchReport, reportOutcomes } from './report.ts';
import { askEvery, refuseGaps } from './round.ts';
import { type Answer, describeText, type RetryPolicy, Service } from './service.ts';

/** No limit is published; this is what the clients that are known to be let through send at most. */
const limits: readonly RateLimit[] = [
  { count: 4, window_ms: 1000 },
  { count: 180, window_ms: 60_000 },
];

const WIDTH = 4;

/** Entrepreneurs; associations, foundations and the like. A company is in one of them. */
const registers = ['P', 'S'] as const;

/** An OdpisAktualny or OdpisPelny as the service gives it. */
export interface Extract {
  odpis: Record<string, unknown>;
}

/**
 * What KRS says of a number. `had`: the current extract. `struck_off`: no longer in the register;
 * the full extract, or none where even that is not given. `not_found`: in neither register.
 */
export type KrsAnswer =
  | { outcome: 'had'; extract: Extract }
  | { outcome: 'struck_off'; extract: Extract | undefined }
  | { outcome: 'not_found' };

export interface KrsSettings {
  /** Up to and with `/api/krs`. */
  url: string;
  limits?: readonly RateLimit[];
  retry?: RetryPolicy;
  timeout_ms?: number;
  max_bytes?: number;
  onRetry?: (sentence: string, wait_ms: number) => void;
}

/** The open API of KRS, which needs no key. */
export class Krs {
  readonly service: Service;
  readonly #url: string;

  constructor(settings: KrsSettings) {
    this.#url = settings.url.replace(/\/+$/, '');
    this.service = new Service({
      name: 'KRS',
      limits: settings.limits ?? limits,
      timeout_ms: settings.timeout_ms ?? 60_000,
      // The full extract of a company as old and large as they come has less than one megabyte.
      max_bytes: settings.max_bytes ?? 32 * 1024 ** 2,
      onRetry: settings.onRetry,
      ...(settings.retry ? { retry: settings.retry } : {}),
    });
  }

  /** The numbers of the companies that something was entered for on a day, ascending, each once. */
  bulletin(date: string, signal?: AbortSignal): Promise<string[]> {
    const read = (answer: Answer) => {
      if (answer.status === 204) return [];
      if (answer.status !== 200) throw this.service.statusFault(answer);
      const numbers = this.#parse(answer);
      const isList =
        Array.isArray(numbers) && numbers.every((number) => /^\d{1,10}$/.test(String(number)));
      if (!isList) throw this.service.contentFault('a bulletin that is no list of KRS numbers');
      return [...new Set(numbers.map((number) => String(number).padStart(10, '0')))].toSorted();
    };
    return this.service.ask(`${this.#url}/Biuletyn/${date}`, {}, read, signal);
  }

  /** @param krs 10 digits */
  async extract(krs: string, signal?: AbortSignal): Promise<KrsAnswer> {
    for (const register of registers) {
      const current = await this.#ask('OdpisAktualny', krs, register, signal);
      if (current === 'not_found') continue;
      if (current !== 'struck_off') return { outcome: 'had', extract: current };
      const full = await this.#ask('OdpisPelny', krs, register, signal);
      return { outcome: 'struck_off', extract: typeof full === 'string' ? undefined : full };
    }
    return { outcome: 'not_found' };
  }

  #ask(kind: string, krs: string, register: string, signal?: AbortSignal) {
    const url = `${this.#url}/${kind}/${encodeURIComponent(krs)}?rejestr=${register}&format=json`;
    const read = (answer: Answer): Extract | 'not_found' | 'struck_off' => {
      if (answer.status === 404) return 'not_found';
      if (answer.status === 204) return 'struck_off';
      if (answer.status !== 200) throw this.service.statusFault(answer);
      const extract = this.#parse(answer);
      if (numberOf(extract) !== krs) throw this.service.contentFault(`no extract of ${krs}`);
      return extract as Extract;
    };
    return this.service.ask(url, {}, read, signal);
  }

  #parse(answer: Answer): unknown {
    try {
      return JSON.parse(answer.text) as unknown;
    } catch (cause) {
      throw this.service.contentFault(`${describeText(answer.text)} in place of JSON`, cause);
    }
  }
}

/** The number that an extract is of, so that no answer is taken for another company's. */
function numberOf(extract: unknown): unknown {
  const { odpis } = (extract ?? {}) as { odpis?: Record<string, { numerKRS?: unknown } | null> };
  return (odpis?.naglowekA ?? odpis?.naglowekP)?.numerKRS;
}

/**
 * Fetches what changed in KRS on a day: the bulletin, then the extract of every company in it. The
 * folder holds `extracts.ndjson` with an extract a line, which is empty on a day without entries, and
 * `deleted.txt` with the numbers that are struck off and have no extract any more, where there are any.
 *
 * Throws a `Refusal` when too much cannot be had, `NothingToDo`, `AlreadyRunning`, a `ServiceFault`
 * when the bulletin cannot be had.
 */
export function fetchKrs(krs: Krs, plan: FetchPlan): Promise<FetchReport> {
  return fillFolder({ ...plan, source: 'krs' }, async ({ dump, work }) => {
    const { date, progress, signal } = plan;
    progress.step('bulletin');
    const listPath = join(work, 'bulletin.txt');
    let asked = await readLines(listPath);
    if (!asked) {
      asked = await krs.bulletin(date, signal);
      await writeWhole(listPath, joinLines(asked));
    }
    const journal = await Journal.open(join(dump, 'extracts.ndjson'), work);
    try {
      const due = asked.filter((number) => !journal.outcomes.has(number));
      const before = asked.length - due.length;
      progress.step('extracts');
      const missing = await askEvery(due, {
        width: WIDTH,
        signal,
        onProgress: (done) => progress.count(before + done, before + due.length),
        ask: async (number, ending) => {
          const answer = await krs.extract(number, ending);
          const extract = answer.outcome === 'not_found' ? undefined : answer.extract;
          const isBare = answer.outcome === 'struck_off' && extract === undefined;
          const outcome = isBare ? 'without_extract' : extract ? 'had' : 'not_found';
          await journal.append(number, outcome, extract ? [JSON.stringify(extract)] : []);
        },
      });
      refuseGaps(asked.length, missing);
      const report = reportOutcomes('krs', plan, { asked, journal, missing });
      if (report.without_extract.length > 0) {
        await writeWhole(join(dump, 'deleted.txt'), joinLines(report.without_extract));
      }
      return report;
    } finally {
      await journal.close();
    }
  });
}

/** Asks KRS for one company now, by its number of 10 digits. */
export function askKrs(krs: Krs, number: string, signal?: AbortSignal): Promise<KrsAnswer> {
  return krs.extract(number, signal);
}
