import { inSession, insertRows } from '../../../sql/connection/database.ts';
import type { TableSource } from '../../sources/source.ts';
import { type FileCount, saveRejects } from '../stage-file.ts';
import type { Staging } from '../stage.ts';
import { Cursor } from './cursor.ts';
import type { RowContext } from './row-reader.ts';

const BATCH_ROWS = 1000;

/** Writes the rows of a file beside the joined ones to `stage.side_row`. */
export async function stageSide(
  staging: Staging<TableSource>,
  context: RowContext,
): Promise<FileCount> {
  const { pool, stage, onProgress } = staging;
  await using cursor = new Cursor(context);
  const { reader, file } = cursor;
  const { file_no, file_key } = file;
  let rows: object[] = [];
  const save = async () => {
    await inSession(pool, (client) => insertRows(client, `${stage}.side_row`, rows));
    rows = [];
  };
  while (cursor.current || (await cursor.fill())) {
    const row = cursor.current!;
    cursor.advance();
    const fields = reader.readFields(row);
    if (typeof fields === 'string') reader.rejectRow(row, fields);
    else rows.push({ file_no, line: row.line, file_key, fields });
    if (rows.length >= BATCH_ROWS) await save();
    await saveRejects(staging, reader.rejects);
  }
  await save();
  await saveRejects(staging, reader.rejects, 1);
  onProgress(reader.read_count, file.byte_count);
  return { ...cursor.count(), is_left: false };
}
