import { daysBetween } from '../../calendar.ts';
import { Refusal } from '../../errors.ts';
import { figure } from '../../figure.ts';
import type { JoinDescription, JoinedTable, TableSource } from '../../sources/source.ts';
import type { KnownFingerprints } from '../known-fingerprints.ts';
import {
  BATCH_BYTES,
  type FileCount,
  PROGRESS_RECORDS,
  saveRejects,
  stageBatches,
} from '../stage-file.ts';
import type { Staging } from '../stage.ts';
import { Cursor } from './cursor.ts';
import { RecordWriter } from './record-writer.ts';
import type { Row, RowContext } from './row-reader.ts';
import { stageSide } from './stage-side.ts';

/** More rows than this, and more than one in a hundred, without their details: a damaged dump. */
const LACKING_ROWS = 100;

/**
 * Joins the rows of two sorted files, and stages the records that are not known. Needs the memory of a part
 * of each file. Throws a `Refusal` when a file as a whole cannot be read, or when they do not belong together.
 */
export async function stageJoin(
  staging: Staging<TableSource>,
  join: JoinDescription,
  known: KnownFingerprints,
): Promise<FileCount[]> {
  const { source, files, onProgress } = staging;
  const find = (table: JoinedTable): RowContext[] => {
    const file = files.find(({ file_key }) => file_key === table.file_key);
    return file ? [{ file, table, join, seed: source.mapping_version }] : [];
  };
  const [main, details] = [join.main, join.details].map((table) => new Cursor(find(table)[0]!)) as [
    Cursor,
    Cursor,
  ];
  const cursors = [main, details];
  const writer = new RecordWriter(join, known, main, details);
  const reported = { records: 0, bytes: 0 };
  const report = (least: number) => {
    const records = main.reader.read_count + details.reader.read_count - reported.records;
    if (records < least) return;
    const bytes = main.stored_bytes + details.stored_bytes - reported.bytes;
    onProgress(records, bytes);
    reported.records += records;
    reported.bytes += bytes;
  };
  async function* readBatches() {
    await using opened = new AsyncDisposableStack();
    for (const cursor of cursors) opened.use(cursor);
    const { lines } = writer;
    for await (const _ of joinRows(main, details, writer)) {
      if (lines.length >= BATCH_BYTES) yield lines.take();
      for (const { reader } of cursors) await saveRejects(staging, reader.rejects);
      report(PROGRESS_RECORDS);
    }
    assertPair(join, main, details, writer.lacking_count);
    if (lines.length > 0) yield lines.take();
    for (const { reader } of cursors) await saveRejects(staging, reader.rejects, 1);
  }
  const { file_no } = main.file;
  const is_left = await stageBatches(
    staging,
    file_no,
    () => writer.columns,
    readBatches(),
    () => main.count().line_count,
  );
  report(0);
  const counts = cursors.map((cursor): FileCount => ({
    ...cursor.count(),
    is_left: cursor === main && is_left,
    is_joined: true,
  }));
  for (const context of join.side.flatMap(find)) counts.push(await stageSide(staging, context));
  return counts;
}

/** Gives each row with its details to the writer. Yields now and then, for what waits. */
async function* joinRows(main: Cursor, details: Cursor, writer: RecordWriter) {
  let key = -1;
  let group: Row[] = [];
  while (main.current || (await main.fill())) {
    const row = main.current!;
    // Several rows of one key have the same details.
    if (row.key !== key) {
      key = row.key;
      group = [];
      while (details.current || (await details.fill())) {
        const detail = details.current!;
        if (detail.key > key) break;
        if (detail.key === key) group.push(detail);
        else writer.writeStray(detail);
        details.advance();
      }
      // The row that was lost before this one may be of this key.
      if (group.length === 0 && details.current?.fault !== undefined) group = [details.current];
    }
    writer.write(row, group);
    main.advance();
    if (!main.current || writer.lines.length >= BATCH_BYTES) yield;
  }
  while (details.current || (await details.fill())) {
    writer.writeStray(details.current!);
    details.advance();
    if (!details.current) yield;
  }
}

/** Throws a `Refusal` when the files are of different months, or when one is not whole. */
function assertPair(
  join: JoinDescription,
  main: Cursor,
  details: Cursor,
  lacking_count: number,
): void {
  const days = [main, details].map(({ reader }) => reader.processed_until);
  const [one, other] = days as [string | undefined, string | undefined];
  if (one !== undefined && other !== undefined && Math.abs(daysBetween(one, other)) > 1) {
    throw new Refusal(
      `${main.file.file} goes up to ${one}, and ${details.file.file} up to ${other}: ` +
        'the files are not of the same month',
    );
  }
  const { read_count } = main.reader;
  if (lacking_count > LACKING_ROWS && lacking_count > read_count / 100) {
    throw new Refusal(
      `${details.file.file}: ${figure(lacking_count)} of ${figure(read_count)} rows of ` +
        `${main.file.file} have no row of their ${join.key} in it, perhaps it is cut off`,
    );
  }
}
