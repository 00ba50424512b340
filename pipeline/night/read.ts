import { assertUntouched, type Dump } from '../dump/files.ts';
import { stageDocuments } from '../dump/stage-documents.ts';
import { stageDump } from '../dump/stage.ts';
import { loadYesterday, noEntries, type YesterdaysEntries } from '../dump/yesterday.ts';
import type { Night } from './context.ts';
import { insertRows, runSteps, settle } from './sessions.ts';

/** Makes the tables of the night, and loads the fingerprints of yesterday; none for a full read. */
export async function prepareTables(night: Night, isFullRead: boolean): Promise<YesterdaysEntries> {
  const { pool, reporter, description } = night;
  reporter.step('load fingerprints');
  // Documents have no fingerprints: a delta holds only changed entries.
  const readsAll = isFullRead || description.format === 'document';
  const [yesterday] = await settle([
    readsAll ? Promise.resolve(noEntries) : loadYesterday(pool, description.name),
    runSteps(night, ['1_read/tables']).then(() => saveNight(night, readsAll)),
  ]);
  return yesterday;
}

async function saveNight(night: Night, isFullRead: boolean): Promise<void> {
  const { description } = night;
  const row = {
    run_id: night.run_id,
    source: description.name,
    // What was asked for says nothing of what was not.
    dump_kind: night.isImport ? 'delta' : description.dump_kind,
    country_code: description.country_code,
    dump_date: night.dump_date,
    is_baseline: night.isFirst,
    is_full_read: isFullRead,
    is_import: night.isImport === true,
    previous_run_id: night.newest?.run_id,
    published_at: night.now(),
  };
  await insertRows(night.client, `${night.stage}.night`, [row]);
}

/** Reads the records of a dump into the tables of the night. */
export async function readRecords(
  night: Night,
  dump: Dump,
  yesterday: YesterdaysEntries,
): Promise<void> {
  const { client, stage, reporter, description } = night;
  const { files } = dump;
  reporter.step('read and normalise');
  const byteCount = files.reduce((sum, file) => sum + file.byte_count, 0);
  const read = { records: 0, bytes: 0 };
  const onProgress = (records: number, bytes: number) =>
    reporter.progress((read.records += records), (read.bytes += bytes), byteCount);
  if (description.format === 'document') {
    await stageDocuments({ ...night, source: description, files, onProgress });
  } else {
    await stageDump({ ...night, source: description, files, onProgress }, yesterday);
  }
  await assertUntouched(files);
  const ignored = dump.ignored.map((value) => ({ subject: 'file', value, row_count: 0 }));
  await insertRows(client, `${stage}.notice`, ignored);
}
