import { join } from 'node:path';
import type { Command } from 'commander';
import { pino } from 'pino';
import { readEnvironment } from '../environment.ts';
import { exitCodeOfError } from '../exit-code.ts';
import { isDate } from '../ingest.ts';
import { Interrupted } from '../interrupt.ts';
import { warsawDate } from '../nightly.ts';
import { AlreadyRunning, NothingToDo, Refusal, WrongUsage } from '../refusal.ts';
import { Bir } from './bir.ts';
import { Ceidg } from './ceidg.ts';
import { fetchCeidg } from './ceidg-dump.ts';
import { type FetchEnvironment, readFetchEnvironment, requireSettings } from './environment.ts';
import { Krs, fetchKrs } from './krs.ts';
import { createProgress } from './progress.ts';
import { fetchRegon } from './regon.ts';
import { describeFetch, type FetchPlan, type FetchReport } from './report.ts';

type OnRetry = (sentence: string, wait_ms: number) => void;

/** How a registry is fetched. */
interface Fetcher {
  /** Its lists of a day are complete when the day is over; the others are made in the morning. */
  isAfterTheDay: boolean;
  run(settings: FetchEnvironment, plan: FetchPlan, onRetry: OnRetry): Promise<FetchReport>;
}

const fetchers: Record<string, Fetcher> = {
  ceidg: {
    isAfterTheDay: false,
    run({ ceidg }, plan, onRetry) {
      return fetchCeidg(new Ceidg({ ...requireSettings(ceidg, 'CEIDG_TOKEN'), onRetry }), plan);
    },
  },
  krs: {
    isAfterTheDay: true,
    run({ krs }, plan, onRetry) {
      return fetchKrs(new Krs({ ...requireSettings(krs, 'KRS_URL'), onRetry }), plan);
    },
  },
  regon: {
    isAfterTheDay: true,
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

/** A signal has ended the fetch in the middle. */
class FetchInterrupted extends Interrupted {
  override message = `Stopped by ${this.signal}; what was had is kept, run it again to go on`;
}

/** Adds `registry fetch <source> --date YYYY-MM-DD [--json]`, which needs no database. */
export function addFetchCommand(program: Command): void {
  program
    .command('fetch')
    .description('fetch the dump of a day from a registry into INBOX_DIR/<source>/<date>/')
    .argument('<source>', 'ceidg, krs or regon')
    .requiredOption('--date <day>', 'the day the dump speaks of, YYYY-MM-DD')
    .option('--json', 'print one JSON object')
    .action(async (source: string, { date, json = false }: { date: string; json?: boolean }) => {
      const fetcher = findFetcher(source, date);
      const { inboxDir, logLevel } = readEnvironment();
      const logger = pino({ level: logLevel }, pino.destination({ fd: 2, sync: true }));
      const progress = createProgress({ source, dump_date: date }, logger);
      const onRetry: OnRetry = (sentence, wait_ms) =>
        progress.note(`${sentence}; trying again in ${Math.ceil(wait_ms / 1000)} s`);
      const settings = readFetchEnvironment();
      try {
        const report = await untilSignal((signal) =>
          fetcher.run(settings, { inboxDir, date, progress, signal }, onRetry),
        );
        progress.close();
        const text = json
          ? JSON.stringify(report)
          : describeFetch(report, join(inboxDir, source, date));
        process.stdout.write(`${text}\n`);
      } catch (error) {
        progress.close(true);
        const state = stateOf(error);
        if (!state) throw error;
        const { message } = error as Error;
        const outcome = { source, dump_date: date, state, message };
        if (json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
        else process.stderr.write(`${words[state]}: ${message}\n`);
        process.exitCode = exitCodeOfError(error);
      }
    });
}

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

const words = { refused: 'Refused', running: 'Not started', nothing: 'Nothing to do' };

function stateOf(error: unknown): keyof typeof words | undefined {
  if (error instanceof Refusal) return 'refused';
  if (error instanceof AlreadyRunning) return 'running';
  if (error instanceof NothingToDo) return 'nothing';
  return undefined;
}

/** Does some work whose signal is aborted when the process is told to end. */
async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stops = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => {
    const stop = () => controller.abort(new FetchInterrupted(name));
    process.on(name, stop);
    return () => process.off(name, stop);
  });
  try {
    return await work(controller.signal);
  } finally {
    // From here on a second signal ends the process as usual; `main` passes the first one on.
    for (const off of stops) off();
  }
}
