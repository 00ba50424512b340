import { assertUntouched, type Dump } from '../dump/files.ts';
import { stageDocuments } from '../dump/stage-documents.ts';
import { stageDump } from '../dump/stage.ts';
import { loadYesterday, noEntries, type YesterdaysEntries } from '../dump/yesterday.ts';
import type { Night } from './night.ts';
import { runSteps, settle } from './steps.ts';

/** Makes the tables of the night, and loads the fingerprints of yesterday; none for a full read. */
export async function prepareTables(night: Night, isFullRead: boolean): Promise<YesterdaysEntries> {
  const { pool, reporter, description } = night;
  reporter.step('load fingerprints');
  // Documents have no fingerprints: what a delta holds has changed.
  const readsAll = isFullRead || description.format === 'document';
  const [yesterday] = await settle([
    readsAll ? Promise.resolve(noEntries) : loadYesterday(pool, description.name),
    runSteps(night, ['1_read/tables']).then(() => saveNight(night, readsAll)),
  ]);
  return yesterday;
}

async function saveNight(night: Night, isFullRead: boolean): Promise<void> {
  const { client, stage, description, newest } = night;
  await client.query(
    `insert into ${stage}.night (
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

export async function readDump(
  night: Night,
  dump: Dump,
  yesterday: YesterdaysEntries,
): Promise<void> {
  const { pool, client, stage, reporter, description } = night;
  const { files } = dump;
  reporter.step('read and normalise');
  const byteCount = files.reduce((sum, file) => sum + file.byte_count, 0);
  const onProgress = (records: number, bytes: number) =>
    reporter.progress(records, bytes, byteCount);
  const staging = { pool, stage, files, onProgress };
  if (description.format === 'document') {
    await stageDocuments(client, { ...staging, source: description });
  } else {
    await stageDump(client, { ...staging, source: description }, yesterday);
  }
  await assertUntouched(files);
  await client.query(
    `insert into ${stage}.notice (subject, value, row_count)
     select 'file', file, 0
     from unnest($1::text[]) as file`,
    [dump.ignored],
  );
}
