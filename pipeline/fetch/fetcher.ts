import type { Logger } from 'pino';
import { dayIn } from '../../sql/country.ts';
import { sentenceOf } from '../../sql/process/environment.ts';
import { isDate } from '../calendar.ts';
import { stateOf, WrongUsage } from '../errors.ts';
import { Reporter } from '../night/reporter.ts';
import { loadSource } from '../sources/source.ts';
import { Bir } from './regon-service.ts';
import { Ceidg, fetchCeidg } from './ceidg.ts';
import { type FetchEnvironment, shape } from './environment.ts';
import { Krs, fetchKrs } from './krs.ts';
import { fetchRegon } from './regon.ts';
import type { FetchPlan, FetchReport } from './report.ts';
import type { ServiceSettings } from './service.ts';
import { Sirene } from './sirene.ts';
import { fetchSirene } from './sirene-dump.ts';
import { StockCatalogue } from './sirene-stock.ts';

interface Fetcher {
  /** The name of the setting that turns on the fetches from the registry. */
  setting: keyof typeof shape;
  /** Whether the registry's data of a day is complete only after the day; false if complete in the day's morning. */
  isAfterTheDay: boolean;
  /** The number of past days for which a missing dump is still fetched. GUS keeps REGON's lists for about a week. */
  longest_gap_days: number;
  run: (settings: FetchEnvironment, plan: FetchPlan, how: ServiceSettings) => Promise<FetchReport>;
}

/** The fetcher of each source, by the name of the source. */
export const fetchers: Record<keyof FetchEnvironment, Fetcher> = {
  ceidg: {
    setting: 'CEIDG_TOKEN',
    isAfterTheDay: false,
    longest_gap_days: 1,
    run: ({ ceidg }, plan, how) => fetchCeidg(new Ceidg({ ...ceidg!, ...how }), plan),
  },
  krs: {
    setting: 'KRS_URL',
    isAfterTheDay: true,
    longest_gap_days: 31,
    run: ({ krs }, plan, how) => fetchKrs(new Krs({ ...krs!, ...how }), plan),
  },
  regon: {
    setting: 'BIR_API_KEY',
    isAfterTheDay: true,
    longest_gap_days: 7,
    run: ({ regon }, plan, how) => fetchRegon(new Bir({ ...regon!, ...how }), plan),
  },
  sirene: {
    setting: 'SIRENE_TOKEN',
    isAfterTheDay: true,
    longest_gap_days: 31,
    run: ({ sirene }, plan, how) => {
      const catalogue = new StockCatalogue({ ...how, url: sirene!.stockUrl });
      return fetchSirene(new Sirene({ ...sirene!, ...how }), catalogue, plan);
    },
  },
};

/** Throws `WrongUsage` if the source is unknown, or if its data of the day cannot be fetched yet. */
export async function checkDay(source: string, date: string, now = new Date()): Promise<void> {
  if (!Object.hasOwn(fetchers, source)) {
    const names = Object.keys(fetchers).join(', ');
    throw new WrongUsage(`'${source}' cannot be fetched; these can: ${names}`);
  }
  if (!isDate(date)) throw new WrongUsage(`'${date}' is no day YYYY-MM-DD`);
  const { country_code } = await loadSource(source);
  const today = dayIn(now, country_code);
  if (date > today) throw new WrongUsage(`${date} is in the future`);
  if (date === today && fetchers[source as keyof FetchEnvironment].isAfterTheDay) {
    throw new WrongUsage(`${date} is not over: the list of what changed is not complete yet`);
  }
}

/** The outcome of fetching the dump of a day. The state `nothing` means that the inbox already has this dump. */
export type FetchOutcome =
  | FetchReport
  | { source: string; dump_date: string; state: ReturnType<typeof stateOf>; message: string };

/** Fetches a day's dump from a registry, and logs each step. Throws unexpected errors, and the reason of an abort. */
export async function fetchDay(
  settings: FetchEnvironment,
  plan: Omit<FetchPlan, 'progress'> & { source: string; signal: AbortSignal },
  logger: Logger,
): Promise<FetchOutcome> {
  const { source, date: dump_date, signal } = plan;
  const { setting, run } = fetchers[source as keyof FetchEnvironment];
  if (!settings[source as keyof FetchEnvironment]) {
    throw new WrongUsage(`${setting} is not set: ${sentenceOf(setting, shape[setting])}`);
  }
  const progress = new Reporter({ source, dump_date }, logger);
  const onRetry = (sentence: string, wait_ms: number) =>
    progress.note(`${sentence}; trying again in ${Math.ceil(wait_ms / 1000)} s`);
  try {
    const report = await run(settings, { ...plan, progress }, { onRetry, signal });
    progress.close();
    return report;
  } catch (error) {
    progress.close({ hasFailed: true });
    signal.throwIfAborted();
    return toOutcome(source, dump_date, error as Error);
  }
}

/** Returns the outcome of a fetch that has thrown an expected error, such as a `Refusal`. Throws other errors. */
export function toOutcome(source: string, dump_date: string, error: Error): FetchOutcome {
  const state = stateOf(error);
  if (state === 'failed') throw error;
  return { source, dump_date, state, message: error.message };
}
