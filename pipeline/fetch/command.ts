import { join } from 'node:path';
import type { Command } from 'commander';
import { pino } from 'pino';
import { readEnvironment } from '../environment.ts';
import { exitCodeOfError } from '../exit-codes.ts';
import { Interrupted } from '../signals.ts';
import { AlreadyRunning, NothingToDo, Refusal } from '../errors.ts';
import { readFetchEnvironment } from './environment.ts';
import { findFetcher, type OnRetry } from './fetcher.ts';
import { createProgress } from './progress.ts';
import { describeFetch } from './report.ts';

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
