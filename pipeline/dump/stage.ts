import { pipeline } from 'node:stream/promises';
import { escapeIdentifier } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { insertRows, inStage, runFile } from '../../sql/connection/database.ts';
import { inParallel } from '../parallel.ts';
import type { JoinedTable, TableSource } from '../sources/source.ts';
import { FileReader } from './file-reader.ts';
import { ROW_NUMBER_COLUMN } from './header.ts';
import { JoinedRows, SideRows } from './join/joined-rows.ts';
import type { RowContext } from './join/row-reader.ts';
import type { KnownFingerprints } from './known-fingerprints.ts';
import { normaliseAll } from './normalise.ts';
import { type StagedRows, stageRows } from './stage-rows.ts';
import type { Staging } from './staging.ts';

/** The number of files read in parallel. While one file is read from the disk, other files are inflated or parsed. */
const PARALLEL_FILES = 4;

/**
 * Reads a dump of tables, and makes entries of its records, except records with `known` fingerprints. Writes counts to
 * `stage.file`, and unknown and missing columns to `stage.notice`. Throws a `Refusal` for an unreadable file.
 */
export async function stageDump(
  staging: Staging<TableSource>,
  known: KnownFingerprints,
): Promise<void> {
  const staged = await stageFiles(staging, known);
  await keepMissing(staging, staged);
  await normaliseAll(staging, staged);
  await saveMissing(staging, known);
}

/** Copies the new and changed records of a dump into the night's tables, and saves the counts of the dump's files. */
export async function stageFiles(
  staging: Staging<TableSource>,
  known: KnownFingerprints,
): Promise<StagedRows[]> {
  await createRecordTables(staging);
  const staged = listRows(staging, known);
  const readers = staged.flatMap((rows) => rows.readers);
  const report = () => {
    const records = readers.reduce((sum, { read_count }) => sum + read_count, 0);
    const bytes = readers.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0);
    staging.onProgress(records, bytes);
  };
  await inParallel(staged, PARALLEL_FILES, (rows, signal) =>
    stageRows(staging, rows, () => {
      signal.throwIfAborted();
      report();
    }),
  );
  report();
  await saveCounts(staging, staged);
  return staged;
}

/** Returns a dump's readers: one for each file, or one for two joined files and one for each other (side) file. */
function listRows({ source, files }: Staging<TableSource>, known: KnownFingerprints): StagedRows[] {
  const { join, mapping_version: seed } = source;
  if (!join) {
    // The largest files are read first, so that no large file is left to be read alone at the end.
    const largestFirst = files.toSorted((a, b) => b.byte_count - a.byte_count);
    return largestFirst.map((file) => new FileReader(source, file, known));
  }
  const find = (table: JoinedTable): RowContext[] => {
    const file = files.find(({ file_key }) => file_key === table.file_key);
    return file ? [{ file, table, join, seed }] : [];
  };
  const [main, details] = [join.main, join.details].flatMap(find);
  return [
    new JoinedRows(main!, details!, known),
    ...join.side.flatMap(find).map((context) => new SideRows(context)),
  ];
}

/**
 * Creates the table and the views whose columns depend on the source, and fills `stage.file`. The table `column_text`
 * has the tidied columns of the files. The view `record` adds the whole row as one text. The view `mapped` has the
 * columns that all sources share.
 */
async function createRecordTables(staging: Staging<TableSource>): Promise<void> {
  const { client, stage, source, files } = staging;
  const columns = [ROW_NUMBER_COLUMN, ...source.columns.map(({ column }) => column)].map(
    escapeIdentifier,
  );
  const texts = [...columns, ...(source.join?.combined ?? [])];
  const partitions = files.map(
    ({ file_no }) => `
      create unlogged table stage.column_text_${file_no}
      partition of stage.column_text for values in (${file_no})
      with (autovacuum_enabled = false, toast_tuple_target = 8160)`,
  );
  await client.query(
    inStage(
      `create table stage.column_text (
        file_no integer not null,
        line bigint not null,
        fingerprint bigint not null,
        is_well_formed boolean not null,
        ${texts.map((name) => `${name} text`).join(', ')},
        details jsonb
      ) partition by list (file_no);
      ${partitions.join(';')};
      create view stage.record as
      select
        file_no, line, fingerprint, is_well_formed,
        ${texts.join(', ')}, details,
        array_to_string(array[${columns.join(', ')}], ';', '') as raw
      from stage.column_text;
      create view stage.mapped as ${source.mapping}`,
      stage,
    ),
  );
  await saveFiles(staging);
}

/** Saves the columns that the mapping reads but a file lacks to `stage.missing_column`, for later steps. */
async function keepMissing(
  { client, stage }: Staging<TableSource>,
  staged: readonly StagedRows[],
): Promise<void> {
  const missing = staged.flatMap(({ readers }) =>
    readers.flatMap(({ file, layout }) => {
      // Records of two joined files have file and line numbers of the main file, which the first reader reads.
      const place_of = { file_no: file.file_no, record_file_no: readers[0]!.file.file_no };
      return layout!.missing.flatMap(({ header, tells, is_optional = false }, place) =>
        tells ? [{ ...place_of, place, header, tells, is_optional }] : [],
      );
    }),
  );
  if (missing.length === 0) return;
  await insertRows(client, `${stage}.missing_column`, missing);
  await runFile(client, 'nightly/1_read/missing_column.sql', undefined, stage);
}

/** Writes the list of the dump's files to `stage.file`, and analyzes the first tables of the night. */
export async function saveFiles({ client, stage, files }: Staging): Promise<void> {
  const rows = files.map(({ path: _path, modified_ms: _modified_ms, ...row }) => row);
  await insertRows(client, `${stage}.file`, rows);
  await client.query(`analyze ${stage}.night, ${stage}.file`);
}

/** Saves the counts of the files to `stage.file`, and notices of unknown and missing columns to `stage.notice`. */
async function saveCounts(
  { client, stage }: Staging,
  staged: readonly StagedRows[],
): Promise<void> {
  const counts = staged.flatMap(({ readers }) =>
    readers.map((reader) => ({ ...reader.count(), is_joined: readers.length > 1 })),
  );
  await client.query(
    `update ${stage}.file
     set
       read_count = counted.read_count, line_count = counted.line_count,
       content_hash = counted.content_hash, is_joined = counted.is_joined,
       processed_until = counted.processed_until
     from jsonb_populate_recordset(null::${stage}.file, $1) as counted
     where file.file_no = counted.file_no`,
    [JSON.stringify(counts)],
  );
  const notices = staged.flatMap(({ readers }) =>
    readers.flatMap(({ layout, read_count: row_count }) => [
      ...layout!.unknown.map((value) => ({ subject: 'column', value, row_count })),
      ...layout!.absent.map((value) => ({ subject: 'missing column', value, row_count })),
    ]),
  );
  await insertRows(client, `${stage}.notice`, notices);
}

/** Saves the fingerprints of yesterday's entries that no record of today has to `stage.missing_entry`. */
async function saveMissing({ client, stage }: Staging, known: KnownFingerprints): Promise<void> {
  const copy = copyFrom(`copy ${stage}.missing_entry (fingerprint) from stdin`);
  await pipeline(writeMissing(known), client.query(copy));
}

function* writeMissing(known: KnownFingerprints): Generator<string> {
  for (const batch of known.missing()) {
    yield Array.from(batch, (fingerprint) => `${fingerprint}\n`).join('');
  }
}
