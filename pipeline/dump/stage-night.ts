import type pg from 'pg';
import { type Database, runFile } from '../../sql/database.ts';
import { assertUntouched, type Dump, type ListedDump } from './files.ts';
import { Prints } from './known-records.ts';
import { loadPrints, sendUnmet } from './known.ts';
import type { NightReporter } from '../night/nightly.ts';
import type { PublishedRun } from '../night/run.ts';
import { runBeside, settle } from '../night/session.ts';
import { ReadingThreads } from './threads.ts';
import type { Source } from '../sources/source.ts';
import { stageDocuments } from './stage-document.ts';
import { stageDump } from './stage.ts';

/** What is known of a night before its dump is. */
export interface PreparedNight {
  db: Database;
  client: pg.PoolClient;
  description: Source;
  run_id: string;
  dump_date: string;
  newest: PublishedRun | undefined;
  isFirst: boolean;
  isImport?: boolean;
  now(): Date;
  reporter: NightReporter;
}

/** What is staged, and where. */
export interface StagedNight extends PreparedNight {
  dump: Dump;
  /** Those that were started while yesterday's records were loaded. */
  threads?: ReadingThreads | undefined;
}

/** Starts the threads that will read the dump; a dump of documents needs none. */
export function startThreads(
  description: Source,
  { files }: ListedDump,
): ReadingThreads | undefined {
  return description.format === 'document' ? undefined : new ReadingThreads(description, files);
}

/**
 * Makes the tables of `stage` anew, and loads what was there yesterday beside that.
 *
 * @param isFullRead read also the records whose bytes were there yesterday: none is loaded
 */
export async function prepareStage(night: PreparedNight, isFullRead: boolean): Promise<Prints> {
  const { db, client, reporter, description } = night;
  // Documents have no fingerprints: what a delta holds has changed.
  const readsAll = isFullRead || description.format === 'document';
  reporter.step('load fingerprints');
  const makeStage = async () => {
    await runFile(client, 'nightly/0_stage.sql');
    await saveNight(night, readsAll);
  };
  const [prints] = await settle([
    readsAll ? Promise.resolve(new Prints()) : loadPrints(db.pool, description.name),
    makeStage(),
  ]);
  return prints;
}

/**
 * Reads the dump into the tables of `stage` and numbers the entries.
 *
 * @param prints of yesterday's records, which are not read again
 */
export async function readNight(night: StagedNight, prints: Prints): Promise<void> {
  const { client, reporter, description, dump, threads } = night;
  reporter.step('read and normalise');
  const reading = {
    pool: night.db.pool,
    files: dump.files,
    onProgress: (records: number, files: number) =>
      reporter.progress(records, files, dump.files.length),
  };
  if (description.format === 'document') {
    await stageDocuments(client, { ...reading, source: description });
  } else {
    const { isFirst } = night;
    const staging = { ...reading, source: description, prints, threads, isFirst };
    await sendUnmet(client, await stageDump(client, staging));
  }
  await assertUntouched(dump.files);
  await noteIgnored(client, dump);
  await runFile(client, 'nightly/1a_number.sql');
  await runFile(client, 'nightly/4a_search.sql');
}

/**
 * Rejects what cannot be believed among what was read.
 *
 * @returns false when the shortcut cannot tell what to believe, and all has to be read
 */
export async function rejectRecords({ db, client, reporter }: StagedNight): Promise<boolean> {
  reporter.step('reject');
  const [results] = await settle([
    runFile(client, 'nightly/1b_reject.sql'),
    runBeside(db.pool, ['1b_absent']),
  ]);
  const { contradictions } = results.at(-1)!.rows[0] as { contradictions: number };
  return contradictions === 0;
}

/** All of it again by threads of its own, every record being read. */
export async function readAgain(night: StagedNight): Promise<void> {
  await readNight({ ...night, threads: undefined }, await prepareStage(night, true));
  await rejectRecords(night);
}

async function saveNight(night: PreparedNight, isFullRead: boolean): Promise<void> {
  const { client, description, newest } = night;
  await client.query(
    `insert into stage.night (
       run_id, source, dump_kind, country_code, dump_date, is_baseline, is_full_read,
       is_import, previous_run_id, published_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      night.run_id,
      description.name,
      // What was asked for says nothing of what was not.
      night.isImport ? 'delta' : description.dump_kind,
      description.country_code,
      night.dump_date,
      night.isFirst,
      isFullRead,
      night.isImport === true,
      newest?.run_id ?? null,
      night.now(),
    ],
  );
}

async function noteIgnored(client: pg.PoolClient, dump: Dump): Promise<void> {
  await client.query(
    `insert into stage.notice (subject, value, row_count)
     select 'file', file, 0
     from unnest($1::text[]) as file`,
    [dump.ignored],
  );
}
