import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Database } from '../../sql/connection/database.ts';
import { readTogether } from '../../sql/process/environment.ts';
import { isDate } from '../calendar.ts';
import { type Environment, readEnvironment } from '../environment.ts';
import { WrongUsage } from '../errors.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { readFetchEnvironment } from '../fetch/environment.ts';
import { describeFetch } from '../fetch/report.ts';
import { ingest, inspectInbox, type Outcome } from '../night/inbox.ts';
import { runDueNights, runSchedule } from './schedule.ts';
import { Interrupted } from '../signals.ts';
import { loadSource } from '../sources/source.ts';
import { print, say } from './print.ts';
import { describeOutcome } from './sentences.ts';
import { type Session, withDatabase } from './session.ts';

interface IngestOptions {
  date: string;
  accept?: string;
  /** Whether `publish` of ../night/nightly.ts rolls back the night and deletes the night's `registry.run` row. */
  dryRun?: boolean;
  full?: boolean;
  json?: boolean;
}

export async function ingestDump(
  source: string,
  path: string,
  { date, accept, dryRun: isDryRun = false, full: isFullRead = false, json = false }: IngestOptions,
): Promise<void> {
  await loadSource(source);
  if (!isDate(date)) throw new WrongUsage(`'${date}' is no day YYYY-MM-DD`);
  if (!existsSync(path)) throw new WrongUsage(`${path}: no such file or folder`);
  const reason = accept?.trim();
  if (reason === '') throw new WrongUsage('--accept needs a reason');
  await withDatabase(async (db, session) => {
    const night = { source, path: resolve(path), dump_date: date, reason, isDryRun, isFullRead };
    const outcome = await ingest({ db, ...session }, night);
    if (json) print([JSON.stringify(outcome)]);
    report(outcome, session.logger, json);
    process.exitCode = exitCodeOf([outcome]);
  });
}

interface InboxOptions {
  fetch?: boolean;
  idleOk?: boolean;
  json?: boolean;
}

export async function takeInbox(options: InboxOptions): Promise<void> {
  checkSettings(options);
  await withDatabase(async (db, session) => {
    const { environment, logger } = session;
    const isJson = options.json === true;
    const nights = await runDueNights(db, {
      ...session,
      isFetching: options.fetch,
      onIgnored: (sentence) => say(logger, 'warn', sentence),
      onFetched: (outcome) => {
        if (outcome.state !== 'fetched') {
          const { source, dump_date, message } = outcome;
          say(logger, 'error', `Not fetched: ${source} ${dump_date}: ${message}`, outcome);
        } else if (!isJson) print([describeFetch(outcome, environment.inboxDir)]);
      },
      onOutcome: (outcome) => report(outcome, logger, isJson),
    });
    const { runs, fetched = [] } = nights;
    if (isJson) print([JSON.stringify(nights)]);
    else if (runs.length === 0) print([`Nothing to do in ${environment.inboxDir}`]);
    const outcomes = [...runs, ...fetched];
    process.exitCode = outcomes.length > 0 || !options.idleOk ? exitCodeOf(outcomes) : 0;
  });
}

/** Checks the settings before the database is opened. Throws an `EnvironmentError` that lists every invalid setting. */
function checkSettings(options: { fetch?: boolean }): Environment {
  const more = options.fetch ? [readFetchEnvironment] : [];
  return readTogether([readEnvironment, ...more])[0];
}

export async function keepSchedule(options: { fetch?: boolean }): Promise<void> {
  const { inboxDir, INBOX_DIR, metrics } = checkSettings(options);
  await inspectInbox(inboxDir, INBOX_DIR === undefined);
  try {
    const keep = async (db: Database, session: Session) => {
      const { serveMetrics } = await import('../worker/metrics.ts');
      const server = metrics && (await serveMetrics(db.pool, metrics, 'schedule'));
      await runSchedule(db, { ...session, isFetching: options.fetch });
      server?.close().closeAllConnections();
    };
    await withDatabase(keep, { waits: true });
  } catch (error) {
    // The schedule runs until a signal ends the process, so the exit code stays 0 after a signal.
    if (!(error instanceof Interrupted)) throw error;
  }
}

/**
 * Reports the outcome of a night: on stdout if the night has a run, else on stderr. With `--json`, stdout has only
 * JSON, so the sentences about failures go to stderr.
 */
function report(outcome: Outcome, logger: Logger, isJson: boolean): void {
  const sentences = describeOutcome(outcome);
  if ('run_id' in outcome && !isJson) print([sentences]);
  else if (outcome.state !== 'published') {
    const refusals = 'refusals' in outcome ? outcome.refusals : undefined;
    // The log line's fields omit the message and the guards' sentences, because the log line's text contains them.
    const figures = refusals?.map((refusal) => ({ ...refusal, sentence: undefined }));
    const fields = { ...outcome, message: undefined, refusals: figures };
    say(logger, outcome.state === 'nothing' ? 'info' : 'error', sentences, fields);
  }
}
