import type pg from 'pg';
import { type Database, runFile } from '../../sql/database.ts';
import { type Dump, hashDump, listDump } from '../dump/files.ts';
import { isLostConnection } from '../fault.ts';
import { FirstSnapshot, isRegistryEmpty, tidy } from './first-snapshot.ts';
import { runChecks } from './guard.ts';
import { eventSteps, LaterSnapshot } from './later-snapshot.ts';
import { lockImport, lockSource } from './lock.ts';
import { configureSession, runBeside, runSteps, settle } from './session.ts';
import type { ReadingThreads } from '../dump/threads.ts';
import { Refusal } from '../errors.ts';
import {
  abandonRuns,
  checkDate,
  endRun,
  findNewestPublished,
  forgetRun,
  hasImported,
  type PublishedRun,
  recordFailure,
  startRun,
} from './run.ts';
import { loadSource, type Source } from '../sources/source.ts';
import {
  prepareStage,
  readAgain,
  readNight,
  rejectRecords,
  startThreads,
} from '../dump/stage-night.ts';
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
  /**
   * The dump holds what a registry was asked for on demand: only what is not known yet is taken from
   * it, no date is claimed, and nothing happened to anybody.
   */
  isImport?: boolean;
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
  threads: ReadingThreads | undefined;
  run_id: string;
  newest: PublishedRun | undefined;
  /** Whether the source has no entries yet. */
  isFirst: boolean;
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
    await (options.isImport
      ? lockImport(client)
      : lockSource(client, options.source, () =>
          options.reporter.note('waiting for the run of another source'),
        ));
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
  let threads: ReadingThreads | undefined;
  try {
    const newest = await findNewestPublished(client, source);
    const isFirst = newest === undefined && !(await hasImported(client, source));
    const prepared = { ...options, db, client, description, run_id, newest, isFirst };
    const isFullRead =
      options.isFullRead === true || options.isImport === true || newest === undefined;
    // What is staged is made anew anyway: nobody need wait until it is on the disk.
    await client.query('set synchronous_commit = off');
    options.reporter.step('read the list of files');
    const openDump = async () => {
      const listed = await listDump(description, options.path);
      threads = startThreads(description, listed);
      return await hashDump(listed, threads && ((file) => threads!.hash(file)));
    };
    // Beside each other: the first takes the processor, the second waits for the server.
    const [dump, prints] = await settle([openDump(), prepareStage(prepared, isFullRead)]);
    const today = warsawDate(options.now());
    if (!options.isImport) {
      await checkDate(client, source, { dump_date, today, files: dump.files }, newest);
    }
    const night = { ...prepared, dump, threads };
    await readNight(night, prints);
    return await (isFirst ? finishFirst(night) : finishLater(night));
  } catch (error) {
    throw await noteFailure(client, run_id, options, error);
  } finally {
    await threads?.close();
  }
}

/** The entries of a first snapshot are loaded by sessions of their own, beside all that is to be done. */
async function finishFirst(night: Night): Promise<RunSummary> {
  const first = new FirstSnapshot(night.db.pool, await isRegistryEmpty(night.client));
  const rest = async () => {
    await compare(night);
    await check(night);
    return await publish(night, () => writeFirst(night, first));
  };
  const [summary] = await settle([rest(), first.loadEntries()]);
  return summary;
}

/** What changes is worked out by sessions of their own, beside all that is to be done. */
async function finishLater(night: Night): Promise<RunSummary> {
  await compare(night);
  const later = new LaterSnapshot(night.db.pool);
  const rest = async () => {
    await check(night);
    return await publish(night, () =>
      later.write(night.client, () => night.reporter.step('publish')),
    );
  };
  const [summary] = await settle([rest(), later.end()]);
  return summary;
}

/** Yesterday against today: yesterday's snapshot is only read. */
async function compare(night: Night): Promise<void> {
  const { db, client, reporter } = night;
  if (!(await rejectRecords(night))) {
    reporter.note('rows contradict each other: reading every record');
    await readAgain(night);
  }
  if (night.isImport) await runFile(client, 'nightly/1c_known.sql');
  reporter.step('diff');
  // Whatever runs beside each other, none reads what the other writes.
  await settle([runSteps(client, ['2a_pair']), runBeside(db.pool, ['2b_vanished'])]);
  await runSteps(client, ['2c_identity']);
  await settle([
    runSteps(client, ['2d_change', '3_event']),
    runBeside(db.pool, ['4_link', '4_link_nip', '4a_companies']),
  ]);
}

/** Throws a `Refusal` where a guard refuses the dump, and nobody has accepted it with a reason. */
async function check({ client, reporter, isImport, reason }: Night): Promise<void> {
  reporter.step('check');
  await runSteps(client, ['2e_changed_field']);
  const { guards, invariants } = await runChecks(client);
  if (invariants.length > 0) throw new Error(invariants.join('; '));
  // What is asked for on demand is compared with nothing.
  if (guards.length === 0 || isImport) return;
  if (reason === undefined) throw new Refusal(guards.join('; '));
  for (const sentence of guards) reporter.note(`accepted: ${sentence}`);
}

/**
 * One transaction: readers see yesterday or today.
 *
 * @param write writes the entries and events, and what the search shows of nearly all companies
 */
async function publish(night: Night, write: () => Promise<void>): Promise<RunSummary> {
  const { client, reporter, run_id } = night;
  reporter.step('events');
  await client.query('begin; set local synchronous_commit to default');
  await write();
  await runSteps(client, ['4e_search', '4f_search_index']);
  reporter.step('statistics');
  await runSteps(client, ['5_statistics', 'record_run']);
  reporter.step('watch lists');
  await runFile(client, 'nightly/5b_watch.sql');
  if (!night.isImport) await runSteps(client, ['5c_feed', '6_alert']);
  const state = night.isImport ? 'imported' : 'published';
  await endRun(client, run_id, { state, now: night.now(), reason: night.reason });
  const summary = await summarise(client, run_id);
  reporter.step('commit');
  await client.query(night.isDryRun ? 'rollback' : 'commit');
  if (night.isDryRun) await forgetRun(client, run_id);
  else if (summary.is_baseline) {
    reporter.step('vacuum');
    await tidy(night.db.pool);
  }
  return { ...summary, is_dry_run: night.isDryRun === true };
}

async function writeFirst({ db, client, reporter }: Night, first: FirstSnapshot): Promise<void> {
  await runBeside(db.pool, [...eventSteps.flat(), '4b_touched']);
  reporter.step('publish');
  await settle([first.complete(), runSteps(client, ['4b_new_companies'])]);
  await first.attach(client);
  await runSteps(client, ['4c_entries', '4c_due', '4d_events']);
}

/** @returns what to throw: why the attempt failed */
async function noteFailure(
  client: pg.PoolClient,
  run_id: string,
  options: NightOptions,
  error: unknown,
): Promise<unknown> {
  try {
    const isDryRun = options.isDryRun === true;
    await recordFailure(client, run_id, { error, isDryRun, now: options.now() });
  } catch (cause) {
    // Most likely the server went away; the next run marks this one as abandoned.
    options.reporter.note(`the run could not be recorded: ${(cause as Error).message}`);
    // A session that was opened after that, perhaps with a server that is back, fails in its own way.
    if (isLostConnection(cause) && !isLostConnection(error)) return cause;
  }
  return error;
}

/** The calendar day in Poland, YYYY-MM-DD. */
export function warsawDate(moment: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Warsaw' }).format(moment);
}
