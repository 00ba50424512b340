import { warsawDate, isDate } from '../calendar.ts';
import { WrongUsage } from '../errors.ts';
import { Bir } from './bir.ts';
import { Ceidg } from './ceidg.ts';
import { fetchCeidg } from './ceidg-dump.ts';
import { type FetchEnvironment, requireSettings } from './environment.ts';
import { Krs, fetchKrs } from './krs.ts';
import { fetchRegon } from './regon.ts';
import type { FetchPlan, FetchReport } from './report.ts';

/** Told why a request is sent again, and after how long. */
export type OnRetry = (sentence: string, wait_ms: number) => void;

/** How a registry is fetched. */
export interface Fetcher {
  /** Its lists of a day are complete when the day is over. Without: it is made in the morning. */
  isAfterTheDay: boolean;
  /** For how many days its lists are fetched after a break; GUS keeps them for about a week. */
  longest_gap_days: number;
  isSetUp(settings: FetchEnvironment): boolean;
  run(settings: FetchEnvironment, plan: FetchPlan, onRetry: OnRetry): Promise<FetchReport>;
}

export const fetchers: Record<string, Fetcher> = {
  ceidg: {
    isAfterTheDay: false,
    longest_gap_days: 1,
    isSetUp: ({ ceidg }) => ceidg !== undefined,
    run({ ceidg }, plan, onRetry) {
      return fetchCeidg(new Ceidg({ ...requireSettings(ceidg, 'CEIDG_TOKEN'), onRetry }), plan);
    },
  },
  krs: {
    isAfterTheDay: true,
    longest_gap_days: 31,
    isSetUp: ({ krs }) => krs !== undefined,
    run({ krs }, plan, onRetry) {
      return fetchKrs(new Krs({ ...requireSettings(krs, 'KRS_URL'), onRetry }), plan);
    },
  },
  regon: {
    isAfterTheDay: true,
    longest_gap_days: 7,
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

/** Throws `WrongUsage` for an unknown registry, and for a day that cannot be fetched yet. */
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
