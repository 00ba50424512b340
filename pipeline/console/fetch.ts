import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { queryFile } from '../../sql/connection/database.ts';
import { openLog } from '../../sql/process/log.ts';
import { print, say } from './print.ts';
import { describeMessage } from './sentences.ts';
import { withDatabase } from './session.ts';
import { readEnvironment } from '../environment.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { endSignal } from '../signals.ts';
import { readFetchEnvironment } from '../fetch/environment.ts';
import { checkDay, fetchDay } from '../fetch/fetcher.ts';
import { describeFetch } from '../fetch/report.ts';

/** Returns the rows of a query; without a database, returns no rows, since `fetch` does not create a database. */
async function query(file: string, values: unknown[]) {
  const { DATABASE_URL, DATA_DIR } = readEnvironment();
  const isMade = ['postgres', 'postgres.location'].some((name) => existsSync(join(DATA_DIR, name)));
  if (DATABASE_URL === undefined && !isMade) return [];
  return await withDatabase(({ pool }) => queryFile<Record<string, string>>(pool, file, values));
}

/** Runs `registry fetch <source> --date YYYY-MM-DD [--json]`. */
export async function fetchOne(
  source: string,
  { date, json = false }: { date: string; json?: boolean },
): Promise<void> {
  await checkDay(source, date);
  const { inboxDir, LOG_LEVEL } = readEnvironment();
  const logger = await openLog(LOG_LEVEL);
  const settings = readFetchEnvironment();
  const { signal } = endSignal('what was had is kept, run it again to go on');
  const plan = { source, inboxDir, date, signal, query };
  const outcome = await fetchDay(settings, plan, logger);
  const isFetched = outcome.state === 'fetched';
  if (json) print([JSON.stringify(outcome)]);
  else if (isFetched) print([describeFetch(outcome, inboxDir)]);
  else say(logger, 'error', describeMessage(outcome), outcome);
  if (!isFetched) process.exitCode = exitCodeOf([outcome]);
}
