import {
  type Database,
  inSession,
  insertRows,
  inStage,
  isThere,
  queryFile,
} from '../../sql/connection/database.ts';
import { assertUntouched, type Dump, hashDump, listDump } from '../dump/files.ts';
import { stageDocuments } from '../dump/stage-documents.ts';
import { stageDump } from '../dump/stage.ts';
import { KnownFingerprints } from '../dump/known-fingerprints.ts';
import { loadYesterday } from '../dump/load-yesterday-fingerprints.ts';
import { daysBetween } from '../calendar.ts';
import { type GuardFinding, Refusal } from '../errors.ts';
import { loadSource } from '../sources/source.ts';
import { describeFindings, runChecks } from './guards.ts';
import { inLastSession, lockPublishing, lockSource } from './lock.ts';
import type { Night, NightOptions } from './context.ts';
import { checkDateAndFiles } from './check-date-and-same-files.ts';
import { fence } from './fence.ts';
import {
  abandonRuns,
  dropTables,
  endRun,
  findNewestPublished,
  forgetRun,
  noteFailure,
  startRun,
} from './run-rows.ts';
import {
  configureSession,
  runParallel,
  runSteps,
  settle,
  stageOf,
  type Steps,
} from './sessions.ts';
import { type RunSummary, summarise } from './summary.ts';

/**
 * The files of sql/nightly that run between reading and publishing. The lists of files in one row of `comparison` run
 * in parallel. `pipeline/dump/` runs `1_read/count_documents`, `1_read/missing_column` and `1_read/normalise`.
 */
const comparison: readonly (readonly Steps[])[] = [
  [['2_compare/records'], ['2_compare/vanished']],
  [['2_compare/listed_duplicates', '2_compare/changed_key']],
  [['2_compare/reserve_entry_ids', '2_compare/number_entries']],
  [['2_compare/changed_and_lost_fields'], ['3_companies/listed_duplicates', '3_companies/link']],
  [
    // `units` runs after `fields`, whose events show whether the company of a local unit moves.
    ['4_events/states', '4_events/fields', '4_events/units'],
    ['4_events/activities', '4_events/proceedings', '4_events/registered'],
  ],
  [['4_events/unstated']],
];

/** The files of sql/nightly that run in the publishing transaction, by the name under which the reporter shows them. */
const publication = {
  publish: [
    '5_publish/entries',
    '5_publish/past_numbers',
    '5_publish/merges',
    '5_publish/hide_withheld_fields',
    '5_publish/corroborate',
  ],
  events: ['5_publish/events'],
  statistics: ['5_publish/statistics', '5_publish/stock', '5_publish/run'],
  notify: ['6_notify/watch_lists', '6_notify/feeds', '6_notify/alert_digests'],
  commit: ['7_commit/number_snapshot'],
};

/**
 * Runs the whole night of one dump, from reading to publishing. After any error, yesterday's snapshot is unchanged.
 * Throws `Refusal`, `AlreadyRunning`, `NothingToDo` or `WrongUsage` with a sentence for the operator; any other error
 * is unexpected. A refused or failed night leaves a row in `registry.run`.
 */
export async function runNightly(db: Database, options: NightOptions): Promise<RunSummary> {
  const { source } = options;
  const description = options.description ?? (await loadSource(source));
  return inLastSession(db.pool, async (client) => {
    await lockSource(client, source);
    await configureSession(client);
    if ((await abandonRuns(client, source, options.now())) > 0) {
      options.reporter.note('an earlier run ended in the middle; starting over');
    }
    const stage = stageOf(source);
    await dropTables({ client, stage });
    const newest = await findNewestPublished(client, source);
    const isFirst = !(await isThere(client, `registry.entry_${source}`));
    const run_id = await startRun(client, options);
    const sessions = { pool: await fence(db.pool, client), client, stage };
    return attempt({ ...options, ...sessions, description, run_id, newest, isFirst });
  });
}

async function attempt(asked: Night): Promise<RunSummary> {
  const { client, reporter, run_id, newest, isImport } = asked;
  let night = asked;
  reporter.run(Number(run_id));
  try {
    // Commits need not wait for the disk, because the next night creates the tables anew after a crash.
    await client.query('set synchronous_commit = off');
    reporter.step('read the list of files');
    const listed = await listDump(night.description, night.path);
    night = { ...night, description: listed.source };
    const isFullRead = night.isFullRead === true || isImport === true || newest === undefined;
    const [dump, yesterday] = await settle([hashDump(listed), prepareTables(night, isFullRead)]);
    if (!isImport) await checkDateAndFiles(night, dump.files);
    await readRecords(night, dump, yesterday);
    await lockPublishing(client, night.description.country_code, () =>
      reporter.note('waiting until another source is published'),
    );
    await compare(night, dump);
    return await publish(night, await check(night));
  } catch (error) {
    throw await noteFailure(night, error);
  } finally {
    reporter.step('');
    // If `step_seconds` cannot be saved, the error is ignored, because the database may be unreachable.
    const save = 'update registry.run set step_seconds = $2 where run_id = $1';
    await client.query(save, [run_id, reporter.step_seconds]).catch(() => undefined);
  }
}

/** Creates the tables of the night. Returns yesterday's fingerprints; the night skips records with them. */
async function prepareTables(night: Night, isFullRead: boolean): Promise<KnownFingerprints> {
  const { client, reporter, description, run_id } = night;
  reporter.step('load fingerprints');
  await runSteps(night, ['1_read/tables']);
  // A delta contains only changed entries, so hardly any record has a fingerprint of yesterday.
  const readsAll = isFullRead || description.dump_kind === 'delta';
  // An import on demand reads only requested entries, so its run counts as a delta: absent entries stay published.
  const dump_kind = night.isImport ? 'delta' : description.dump_kind;
  const save = 'update registry.run set dump_kind = $2 where run_id = $1';
  await client.query(save, [run_id, dump_kind]);
  const compared = await findNewestPublished(client, description.name, dump_kind);
  const before = dump_kind === 'full' ? compared : night.newest;
  const row = {
    run_id,
    source: description.name,
    dump_kind,
    has_one_activity: description.has_one_activity === true,
    recoded_from: night.recodedFrom ?? {},
    compared_run_id: compared?.run_id,
    day_count: before && daysBetween(before.dump_date, night.dump_date),
    country_code: description.country_code,
    dump_date: night.dump_date,
    // A baseline makes no events: it has no entries to compare with, and 4_events/registered.sql excludes it.
    is_baseline: night.isFirst,
    is_full_read: readsAll,
    is_import: night.isImport === true,
    previous_run_id: night.newest?.run_id,
    published_at: night.now(),
  };
  await insertRows(client, `${night.stage}.night`, [row]);
  return readsAll ? new KnownFingerprints() : loadYesterday(night, description.name);
}

/** Reads the records of a dump into the tables of the night. Throws a `Refusal` if a file changes during reading. */
async function readRecords(night: Night, dump: Dump, yesterday: KnownFingerprints): Promise<void> {
  const { client, stage, reporter, description } = night;
  const { files } = dump;
  reporter.step('read and normalise');
  const byteCount = files.reduce((sum, file) => sum + file.byte_count, 0);
  const onProgress = (records: number, bytes: number) =>
    reporter.progress(records, bytes, byteCount);
  const asked = { ...night, files, onProgress };
  if (description.format === 'document') await stageDocuments({ ...asked, source: description });
  else await stageDump({ ...asked, source: description }, yesterday);
  if (description.note) {
    await client.query(inStage(description.note, stage)).catch((cause: Error) => {
      throw new Error(`sources/${description.name}/note.sql: ${cause.message}`, { cause });
    });
  }
  await assertUntouched(files);
  const ignored = dump.ignored.map((value) => ({ subject: 'file', value, row_count: 0 }));
  await insertRows(client, `${stage}.notice`, ignored);
}

/** Rejects contradictory records, then compares yesterday's entries with today's. Publishes nothing. */
async function compare(night: Night, dump: Dump): Promise<void> {
  const { reporter } = night;
  reporter.step('reject');
  const cause = await reject(night);
  if (cause !== undefined) {
    reporter.note(`${cause}: reading every record`);
    await readRecords(night, dump, await prepareTables(night, true));
    await reject(night);
  }
  if (night.isImport) await runSteps(night, ['1_read/import_only_new_entries']);
  reporter.step('compare');
  for (const row of comparison) await runParallel(night, row);
}

/** Rejects records and finds absent entries. @returns the reason why every record must be read; undefined if none */
async function reject(night: Night): Promise<string | undefined> {
  const { client, stage } = night;
  await runSteps(night, ['1_read/forgotten_persons']);
  const [rejected] = await settle([
    queryFile<{ contradictions: number }>(client, 'nightly/1_read/reject.sql', undefined, stage),
    runParallel(night, [[], ['1_read/absent']]),
  ]);
  const moved = 'nightly/1_read/moved.sql';
  const [found] = await queryFile<{ is_moved: boolean }>(client, moved, undefined, stage);
  if (found!.is_moved) return 'entries were moved meanwhile';
  // A row may contradict an unchanged row, which was skipped; both must be read to be rejected.
  return rejected[0]!.contradictions > 0 ? 'rows contradict each other' : undefined;
}

/**
 * Throws a `Refusal` when a guard refuses the dump and the operator gave no reason to accept it.
 *
 * @returns the findings that the operator accepted
 */
async function check(night: Night): Promise<GuardFinding[]> {
  const { reporter, isImport, reason } = night;
  reporter.step('check');
  const { guards, invariants } = await runChecks(night);
  if (invariants.length > 0) throw new Error(invariants.join('; '));
  // The guards compare a dump with an earlier dump. For an import on demand, there is no earlier dump.
  if (guards.length === 0 || isImport) return [];
  const sentences = describeFindings(guards).map(({ sentence }) => sentence);
  if (reason === undefined) throw new Refusal(sentences.join('; '), { findings: guards });
  for (const sentence of sentences) reporter.note(`accepted: ${sentence}`);
  return guards;
}

/** Publishes a night in one transaction, so that readers see yesterday's snapshot or today's, never a mixture. */
async function publish(night: Night, findings: GuardFinding[]): Promise<RunSummary> {
  const { client, reporter, run_id, isFirst, isImport } = night;
  reporter.step('publish');
  await client.query(
    `begin;
     set local synchronous_commit to default;
     select set_config('registry.change_no', registry.next_snapshot_no()::text, true)`,
  );
  await runParallel(night, [
    ['5_publish/new_companies'],
    ['5_publish/new_stock'],
    // The partition for a source's first snapshot is filled, and only then attached to `registry.entry`.
    ...(isFirst ? [['5_publish/first_entries']] : []),
  ]);
  if (isFirst) await runSteps(night, ['5_publish/first_attach']);
  await runSteps(night, publication.publish);
  await reserveEventIds(night);
  await runSteps(night, publication.events);
  reporter.step('statistics');
  await runSteps(night, publication.statistics);
  reporter.step('notify');
  await runSteps(night, publication.notify);
  const state = isImport ? 'imported' : 'published';
  await endRun(night, { state, reason: night.reason, findings });
  const summary = await summarise(client, run_id);
  reporter.step('commit');
  await runSteps(night, publication.commit);
  await client.query(night.isDryRun ? 'rollback' : 'commit');
  if (night.isDryRun) await forgetRun(night);
  await dropTables(night);
  return { ...summary, is_dry_run: night.isDryRun === true };
}

/** Reserves the ids of new events in another session, so that the row with the last id is locked only briefly. */
async function reserveEventIds({ pool, client, run_id, stage }: Night): Promise<void> {
  const unnumbered = `select count(*) from ${stage}.company_event where event_id is null`;
  const { rows } = await client.query<{ count: string }>(unnumbered);
  const { count } = rows[0]!;
  if (count === '0') return;
  const reserve = `select registry.reserve_ids($1, 'event', $2) as before`;
  const { rows: reserved } = await inSession(pool, (other) =>
    other.query<{ before: string }>(reserve, [run_id, count]),
  );
  await client.query(
    `update ${stage}.night
     set first_event_id = $1::bigint + 1, last_event_id = $1::bigint + $2::bigint`,
    [reserved[0]!.before, count],
  );
}
