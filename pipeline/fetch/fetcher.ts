import type { Logger } from 'pino';
import { dayIn } from '../../sql/country.ts';
import { isDate } from '../calendar.ts';
import { Reporter } from '../night/progress.ts';
import { stateOf, WrongUsage } from '../errors.ts';
import { loadSource } from '../sources/source.ts';
import { Bir } from './bir.ts';
import { Ceidg } from './ceidg.ts';
import { fetchCeidg } from './ceidg-dump.ts';
import { type FetchEnvironment, requireSettings } from './environment.ts';
import { Krs, fetchKrs } from './krs.ts';
import { fetchRegon } from './regon.ts';
import type { FetchPlan, FetchReport } from './report.ts';
import type { ServiceSettings } from './service.ts';
import { Sirene } from './sirene.ts';
import { StockCatalogue } from './sirene-catalogue.ts';
import { fetchSirene } from './sirene-dump.ts';

export interface Fetcher {
  /** Whether the lists of a day are complete only after the day; else the dump is made in the morning. */
  isAfterTheDay: boolean;
  /** The most past days whose lists are fetched after an interruption. GUS keeps its lists for about a week. */
  longest_gap_days: number;
  run(settings: FetchEnvironment, plan: FetchPlan, how: ServiceSettings): Promise<FetchReport>;
}

/** The fetchers by the name of their source. */
export const fetchers: Record<keyof FetchEnvironment, Fetcher> = {
  ceidg: {
    isAfterTheDay: false,
    longest_gap_days: 1,
    run: ({ ceidg }, plan, how) =>
      fetchCeidg(new Ceidg({ ...requireSettings(ceidg, 'CEIDG_TOKEN'), ...how }), plan),
  },
  krs: {
    isAfterTheDay: true,
    longest_gap_days: 31,
    run: ({ krs }, plan, how) =>
      fetchKrs(new Krs({ ...requireSettings(krs, 'KRS_URL'), ...how }), plan),
  },
  regon: {
    isAfterTheDay: true,
    longest_gap_days: 7,
    async run({ regon }, plan, how) {
      const service = new Bir({ ...requireSettings(regon, 'BIR_API_KEY'), ...how });
      try {
        return await fetchRegon(service, plan);
      } finally {
        await service.close();
      }
    },
  },
  sirene: {
    isAfterTheDay: true,
    longest_gap_days: 31,
    async run({ sirene }, plan, how) {
      const settings = requireSettings(sirene, 'SIRENE_TOKEN');
      const catalogue = new StockCatalogue({ ...how, url: settings.stockUrl });
      return await fetchSirene(new Sirene({ ...settings, ...how }), catalogue, plan);
    },
  },
};

/** Returns the fetcher of a source. Throws `WrongUsage` for an unknown source or a day that cannot be fetched yet. */
export async function findFetcher(
  source: string,
  date: string,
  now = new Date(),
): Promise<Fetcher> {
  const fetcher = new Map(Object.entries(fetchers)).get(source);
  if (!fetcher) {
    const names = Object.keys(fetchers).join(', ');
    throw new WrongUsage(`'${source}' cannot be fetched; these can: ${names}`);
  }
  if (!isDate(date)) throw new WrongUsage(`'${date}' is no day YYYY-MM-DD`);
  const { country_code } = await loadSource(source);
  const today = dayIn(now, country_code);
  if (date > today) throw new WrongUsage(`${date} is in the future`);
  if (date === today && fetcher.isAfterTheDay) {
    throw new WrongUsage(`${date} is not over: the list of what changed is not complete yet`);
  }
  return fetcher;
}

/** The outcome of the fetch of a day. The state `nothing` means that the folder of the day already exists. */
export type FetchOutcome =
  | FetchReport
  | { source: string; dump_date: string; state: ReturnType<typeof stateOf>; message: string };

/** Fetches a day, and reports the steps on stderr. Throws an unexpected error, or the reason of the signal. */
export async function fetchDay(
  fetcher: Fetcher,
  settings: FetchEnvironment,
  plan: Omit<FetchPlan, 'progress'> & { source: string },
  logger: Logger,
): Promise<FetchOutcome> {
  const dump = { source: plan.source, dump_date: plan.date };
  const progress = new Reporter(dump, logger);
  const onRetry = (sentence: string, wait_ms: number) =>
    progress.note(`${sentence}; trying again in ${Math.ceil(wait_ms / 1000)} s`);
  let hasFailed = true;
  try {
    const report = await fetcher.run(settings, { ...plan, progress }, { onRetry });
    hasFailed = false;
    return report;
  } catch (error) {
    plan.signal.throwIfAborted();
    const state = stateOf(error);
    if (state === 'failed') throw error;
    return { ...dump, state, message: (error as Error).message };
  } finally {
    progress.close({ hasFailed });
  }
}
