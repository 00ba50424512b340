import { isDate } from '../night/inbox.ts';
import { warsawDate } from '../night/nightly.ts';
import { WrongUsage } from '../errors.ts';
import { Bir } from './bir.ts';
import { Ceidg } from './ceidg.ts';
import { fetchCeidg } from './ceidg-dump.ts';
import { type FetchEnvironment, requireSettings } from './environment.ts';
import { Krs, fetchKrs } from './krs.ts';
import { fetchRegon } from './regon.ts';
import type { FetchPlan, FetchReport } from './report.ts';

/** Is told why a request is made again, and after how long. */
export type OnRetry = (sentence: string, wait_ms: number) => void;

/** How a registry is fetched. */
export interface Fetcher {
  /** Its lists of a day are complete when the day is over; the others are made in the morning. */
  isAfterTheDay: boolean;
  isSetUp(settings: FetchEnvironment): boolean;
  run(settings: FetchEnvironment, plan: FetchPlan, onRetry: OnRetry): Promise<FetchReport>;
}

export const fetchers: Record<string, Fetcher> = {
  ceidg: {
    isAfterTheDay: false,
    isSetUp: ({ ceidg }) => ceidg !== undefined,
    run({ ceidg }, plan, onRetry) {
      return fetchCeidg(new Ceidg({ ...requireSettings(ceidg, 'CEIDG_TOKEN'), onRetry }), plan);
    },
  },
  krs: {
    isAfterTheDay: true,
    isSetUp: ({ krs }) => krs !== undefined,
    run({ krs }, plan, onRetry) {
      return fetchKrs(new Krs({ ...requireSettings(krs, 'KRS_URL'), onRetry }), plan);
    },
  },
  regon: {
    isAfterTheDay: true,
    isSetUp: ({ bir }) => bir !== undefined,
    async run({ bir }, plan, onRetry) {
      const service = new Bir({ ...requireSettings(bir, 'BIR_API_KEY'), onRetry });
      try {
        return await fetchRegon(service, plan);
      } finally {
        await service.close();
      }
    },
  },
};

/** Throws `WrongUsage` for a registry that is not known, and a day that cannot be fetched yet. */
export function findFetcher(source: string, date: string, now = new Date()): Fetcher {
  const fetcher = Object.hasOwn(fetchers, source) ? fetchers[source] : undefined;
  if (!fetcher) {
    const names = Object.keys(fetchers).join(', ');
    throw new WrongUsage(`'${source}' cannot be fetched; these can: ${names}`);
  }
  if (!isDate(date)) throw new WrongUsage(`'${date}' is no day YYYY-MM-DD`);
  const today = warsawDate(now);
  if (date > today) throw new WrongUsage(`${date} is in the future`);
  if (date === today && fetcher.isAfterTheDay) {
    throw new WrongUsage(`${date} is not over: the list of what changed is not complete yet`);
  }
  return fetcher;
}
