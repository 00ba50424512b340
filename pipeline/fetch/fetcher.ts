import type { Logger } from 'pino';
import { dayIn } from '../../sql/country.ts';
import { sentenceOf } from '../../sql/process/environment.ts';
import { isDate } from '../calendar.ts';
import { stateOf, WrongUsage } from '../errors.ts';
import { Reporter } from '../night/reporter.ts';
import { loadSource } from '../sources/source.ts';
import { type FetchEnvironment, loadService, registries, settingOf, shape } from './environment.ts';
import type { FetchPlan, FetchReport } from './report.ts';

/** Throws `WrongUsage` if the source is unknown, or if its data of the day cannot be fetched yet. */
export async function checkDay(source: string, date: string, now = new Date()): Promise<void> {
  if (!registries.has(source)) {
    const names = [...registries.keys()].join(', ');
    throw new WrongUsage(`'${source}' cannot be fetched; these can: ${names}`);
  }
  if (!isDate(date)) throw new WrongUsage(`'${date}' is no day YYYY-MM-DD`);
  const { country_code } = await loadSource(source);
  const today = dayIn(now, country_code);
  if (date > today) throw new WrongUsage(`${date} is in the future`);
  if (date === today && (await loadService(source)).isAfterTheDay) {
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
  const setting = settingOf(source);
  const own = settings[source];
  if (!own) throw new WrongUsage(`${setting} is not set: ${sentenceOf(setting, shape[setting]!)}`);
  const service = await loadService(source);
  const progress = new Reporter({ source, dump_date }, logger);
  const onRetry = (sentence: string, wait_ms: number) =>
    progress.note(`${sentence}; trying again in ${Math.ceil(wait_ms / 1000)} s`);
  try {
    const report = await service.open({ ...own, onRetry, signal }).fetch({ ...plan, progress });
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
