import type pg from 'pg';
import { type Database, runFile } from '../sql/database.ts';
import { assertUntouched, type Dump, readDump } from './dump.ts';
import { KnownRecords } from './fingerprint.ts';
import { loadPartitions, settle } from './first-snapshot.ts';
import { runChecks } from './guard.ts';
import { loadKnown, sendUnmet } from './known.ts';
import { lockSource } from './lock.ts';
import { Refusal } from './refusal.ts';
import {
  abandonRuns,
  checkDate,
  endRun,
  findNewestPublished,
  forgetRun,
  type PublishedRun,
  recordFailure,
  startRun,
} from './run.ts';
import { loadSource, type Source } from './source.ts';
import { stageDump } from './stage.ts';
import { type RunSummary, summarise } from './summary.ts';

export interface NightOptions {
  source: string;
  /** A dump: a folder, or one file. */
  path: string;
  /** The day the dump speaks of, YYYY-MM-DD. */
  dump_date: string;
  /** Why the dump is published although the guards refuse it. */
  reason?: string | undefined;
  /** Compute everything, publish nothing. */
  isDryRun?: boolean;
  /** Read every record, also those that were there yesterday. */
  isFullRead?: boolean;
  now(): Date;
  reporter: NightReporter;
}

/** What a night tells while it runs. */
export interface NightReporter {
  /** A step begins. */
  step(name: string): void;
  /** The files are being read: so many records so far, so many files done. */
  progress(records: number, files: number, fileCount: number): void;
  note(sentence: string): void;
}

/** What the steps of one night share. */
interface Night extends NightOptions {
  db: Database;
  client: pg.PoolClient;
  description: Source;
  dump: Dump;
  run_id: string;
  newest: PublishedRun | undefined;
}

/**
 * One dump through the whole night, up to and including publication.
 *
 * Throws `Refusal`, `AlreadyRunning` or `NothingToDo` with a sentence for people; whatever else it
 * throws is a fault. In all of these yesterday's snapshot stays as it was. Every attempt but one
 * with nothing to do, and but a dry run, leaves a row in `registry.run`.
 */
export async function runNightly(db: Database, options: NightOptions): Promise<RunSummary> {
  const description = await loadSource(options.source);
  const client = await db.pool.connect();
  try {
    await lockSource(client, options.source, () =>
      options.reporter.note('waiting for the run of another source'),
    );
    await configureSession(client);
    if ((await abandonRuns(client, options.source, options.now())) > 0) {
      options.reporter.note('an earlier run ended in the middle; starting over');
    }
    return await attempt(db, client, description, options);
  } finally {
    // Ends the session, and with it the locks and whatever transaction is open.
    client.release(true);
  }
}

async function attempt(
  db: Database,
  client: pg.PoolClient,
  description: Source,
  options: NightOptions,
): Promise<RunSummary> {
  const { source, dump_date } = options;
  const run_id = await startRun(client, source, dump_date, options.now());
  try {
    const newest = await findNewestPublished(client, source);
    options.reporter.step('read the list of files');
    const dump = await readDump(description, options.path);
    const today = warsawDate(options.now());
    await checkDate(client, source, { dump_date, today, files: dump.files }, newest);
    const night = { ...options, db, client, description, dump, run_id, newest };
    await compute(night);
    return await publish(night);
  } catch (error) {
    await noteFailure(client, run_id, options, error);
    throw error;
  }
}

/** Everything up to the facts: yesterday's snapshot is only read. */
async function compute(night: Night): Promise<void> {
  const { client, reporter } = night;
  const isFullRead = night.isFullRead === true || night.newest === undefined;
  if (!(await stage(night, isFullRead))) {
    reporter.note('rows contradict each other: reading every record');
    await stage(night, true);
  }
  reporter.step('diff');
  await runFiles(client, ['2a_match', '2b_change']);
  reporter.step('check');
  const { guards, invariants } = await runChecks(client);
  if (invariants.length > 0) throw new Error(invariants.join('; '));
  if (guards.length > 0) {
    if (night.reason === undefined) throw new Refusal(guards.join('; '));
    for (const sentence of guards) reporter.note(`accepted: ${sentence}`);
  }
  reporter.step('events');
  await runFiles(client, ['3a_events', '3b_activities', '4a_companies']);
}

/** @returns false when the shortcut cannot tell what to believe, and all has to be read */
async function stage(night: Night, isFullRead: boolean): Promise<boolean> {
  const { client, reporter, description, dump, newest } = night;
  reporter.step('load fingerprints');
  await runFile(client, 'nightly/0_stage.sql');
  await client.query(
    `insert into stage.night (
       run_id, source, dump_kind, country_code, dump_date, is_baseline, is_full_read,
       previous_run_id
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      night.run_id,
      night.source,
      description.dump_kind,
      description.country_code,
      night.dump_date,
      newest === undefined,
      isFullRead,
      newest?.run_id ?? null,
    ],
  );
  const known = isFullRead
    ? new KnownRecords(0)
    : await loadKnown(client, night.source, newest!.entry_count);
  reporter.step('read and normalise');
  await stageDump(client, {
    pool: night.db.pool,
    source: description,
    files: dump.files,
    known,
    onProgress: (records, files) => reporter.progress(records, files, dump.files.length),
  });
  await sendUnmet(client, known);
  await assertUntouched(dump.files);
  await noteIgnored(client, dump);
  reporter.step('reject');
  const results = await runFile(client, 'nightly/1b_reject.sql');
  const { contradictions } = results.at(-1)!.rows[0] as { contradictions: number };
  return contradictions === 0;
}

/** One transaction: readers see yesterday or today. */
async function publish(night: Night): Promise<RunSummary> {
  const { client, reporter, run_id } = night;
  reporter.step('publish');
  await client.query('begin');
  if (night.newest === undefined) await publishFirst(night);
  else await runFiles(client, ['4b_new_sum', '4b_new_companies']);
  await runFiles(client, ['4c_entries', '4d_events', '4e_search']);
  reporter.step('statistics');
  await runFiles(client, ['5_statistics', 'record_run']);
  await endRun(client, run_id, { state: 'published', now: night.now(), reason: night.reason });
  const summary = await summarise(client, run_id);
  reporter.step('commit');
  await client.query(night.isDryRun ? 'rollback' : 'commit');
  if (night.isDryRun) await forgetRun(client, run_id);
  else if (summary.is_baseline) await tidy(night);
  return { ...summary, is_dry_run: night.isDryRun === true };
}

/** The entries of a first snapshot are loaded by sessions of their own, beside the companies. */
async function publishFirst({ db, client }: Night): Promise<void> {
  await settle([loadPartitions(db.pool, configureSession), runFiles(client, ['4b_new_companies'])]);
  await runFile(client, 'nightly/baseline/attach.sql');
}

/** Tomorrow's plans depend on statistics: not left to autovacuum, which may come too late. */
async function tidy({ client, reporter }: Night): Promise<void> {
  reporter.step('analyze');
  await client.query(
    `set default_statistics_target = 20;
     analyze registry.entry (company_id, entry_id, source, nip, regon9, krs, status, end_date);
     analyze registry.entry_key;
     reset default_statistics_target`,
  );
}

async function noteFailure(
  client: pg.PoolClient,
  run_id: string,
  options: NightOptions,
  error: unknown,
): Promise<void> {
  try {
    const isDryRun = options.isDryRun === true;
    await recordFailure(client, run_id, { error, isDryRun, now: options.now() });
  } catch (cause) {
    // Most likely the server went away; the next run marks this one as abandoned.
    options.reporter.note(`the run could not be recorded: ${(cause as Error).message}`);
  }
}

async function runFiles(client: pg.PoolClient, steps: readonly string[]): Promise<void> {
  for (const step of steps) await runFile(client, `nightly/${step}.sql`);
}

async function noteIgnored(client: pg.PoolClient, dump: Dump): Promise<void> {
  await client.query(
    `insert into stage.notice (subject, value, row_count)
     select 'file', file, 0
     from unnest($1::text[]) as file`,
    [dump.ignored],
  );
}

async function configureSession(client: pg.PoolClient): Promise<void> {
  await client.query(`
    set work_mem = '128MB';
    set maintenance_work_mem = '256MB';
    set jit = off;
    set max_parallel_workers_per_gather = 3;
    set min_parallel_table_scan_size = '8MB'`);
}

/** The calendar day in Poland, YYYY-MM-DD. */
export function warsawDate(moment: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Warsaw' }).format(moment);
}
