import { join } from 'node:path';
import { connect } from '../../sql/database.ts';
import { openLog } from '../../sql/log.ts';
import { say } from '../console/print.ts';
import { type Environment, readEnvironment } from '../environment.ts';
import { exitCodeOfError } from '../exit-codes.ts';
import { Interrupted } from '../signals.ts';
import { NothingToDo } from '../errors.ts';
import { stateOf } from './due.ts';
import { readFetchEnvironment } from './environment.ts';
import { findFetcher, type OnRetry } from './fetcher.ts';
import { createProgress } from './progress.ts';
import { describeFetch } from './report.ts';
import { findWatched } from './watched.ts';

/** A signal has ended the fetch in the middle. */
class FetchInterrupted extends Interrupted {
  override message = `Stopped by ${this.signal}; what was had is kept, run it again to go on`;
}

/** `registry fetch <source> --date YYYY-MM-DD [--json]`. Only a long day needs the database. */
export async function fetchDay(
  source: string,
  { date, json = false }: { date: string; json?: boolean },
): Promise<void> {
  const fetcher = findFetcher(source, date);
  const environment = readEnvironment();
  const { inboxDir, logLevel } = environment;
  const logger = await openLog(logLevel);
  const progress = createProgress({ source, dump_date: date }, logger);
  const onRetry: OnRetry = (sentence, wait_ms) =>
    progress.note(`${sentence}; trying again in ${Math.ceil(wait_ms / 1000)} s`);
  const settings = readFetchEnvironment();
  const place = { inboxDir, date, progress, findWatched: lookUp(environment) };
  try {
    const report = await untilSignal((signal) =>
      fetcher.run(settings, { ...place, signal }, onRetry),
    );
    progress.close();
    const text = json
      ? JSON.stringify(report)
      : describeFetch(report, join(inboxDir, source, date));
    process.stdout.write(`${text}\n`);
  } catch (error) {
    progress.close(true);
    const state = error instanceof NothingToDo ? 'nothing' : stateOf(error);
    if (!state) throw error;
    const { message } = error as Error;
    const outcome = { source, dump_date: date, state, message };
    if (json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
    else say(logger, 'error', `${words[state]}: ${message}`, outcome);
    process.exitCode = exitCodeOfError(error);
  }
}

const words = { refused: 'Refused', running: 'Not started', nothing: 'Nothing to do' };

/** Opens the database for one look at the watch lists. */
function lookUp({ databaseUrl, dataDir }: Environment) {
  return async (regons: readonly string[]): Promise<string[]> => {
    const db = await connect({ databaseUrl, dataDir, applicationName: 'registry-pipeline' });
    try {
      return await findWatched(db, regons);
    } finally {
      await db.close();
    }
  };
}

/** Does some work whose signal is aborted when the process gets a signal to end. */
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
