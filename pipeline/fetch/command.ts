import { join } from 'node:path';
import { connect } from '../../sql/database.ts';
import { openLog } from '../../sql/log.ts';
import { say } from '../console/print.ts';
import { type Environment, readEnvironment } from '../environment.ts';
import { NothingToDo } from '../errors.ts';
import { exitCodeOfError } from '../exit-codes.ts';
import { Interrupted, onEndSignal } from '../signals.ts';
import { findWatched, stateOf } from './due.ts';
import { readFetchEnvironment } from './environment.ts';
import { fetchDay, findFetcher } from './fetcher.ts';
import { describeFetch } from './report.ts';

/** A signal has ended the fetch in the middle. */
class FetchInterrupted extends Interrupted {
  override message = `Stopped by ${this.signal}; what was had is kept, run it again to go on`;
}

/** `registry fetch <source> --date YYYY-MM-DD [--json]`. Only a long day needs the database. */
export async function fetchOne(
  source: string,
  { date, json = false }: { date: string; json?: boolean },
): Promise<void> {
  const fetcher = findFetcher(source, date);
  const environment = readEnvironment();
  const { inboxDir, logLevel } = environment;
  const logger = await openLog(logLevel);
  const settings = readFetchEnvironment();
  const controller = new AbortController();
  const stopListening = onEndSignal((name) => controller.abort(new FetchInterrupted(name)));
  const { signal } = controller;
  const plan = { source, inboxDir, date, signal, findWatched: lookUp(environment) };
  try {
    const report = await fetchDay(fetcher, settings, plan, logger);
    const path = join(inboxDir, source, date);
    process.stdout.write(`${json ? JSON.stringify(report) : describeFetch(report, path)}\n`);
  } catch (error) {
    const state = error instanceof NothingToDo ? 'nothing' : stateOf(error);
    if (!state) throw error;
    const { message } = error as Error;
    const outcome = { source, dump_date: date, state, message };
    if (json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
    else say(logger, 'error', `${words[state]}: ${message}`, outcome);
    process.exitCode = exitCodeOfError(error);
  } finally {
    // From here on a second signal ends the process as usual; `main` passes the first one on.
    stopListening();
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
