import { Refusal } from '../errors.ts';
import type { Separator, TableColumns } from '../sources/source.ts';
import { readUtf8 } from './encoding.ts';
import { RecordScanner } from './record-scanner.ts';

export type Layout = ReturnType<typeof readHeader>;

/** The column of `stage.column_text` for the row number, which is the first field of some registries' records. */
export const ROW_NUMBER_COLUMN = 'row_number';

/** Throws a `Refusal` that says why the header of a file cannot be read. */
export function refuseHeader(file: string, reason: string): never {
  throw new Refusal(`${file}, line 1: the header cannot be read, ${reason}`);
}

/**
 * Reads the header of a file; its columns may be in any order. Throws a `Refusal` for a column that is repeated, or
 * that is missing although every record needs it.
 */
export function readHeader(
  { columns: described, ignored = [], row_number }: TableColumns,
  file: string,
  bytes: Buffer,
  separator: Separator = ';',
) {
  const line = readUtf8(bytes);
  if (!line) throw new Refusal(`${file}, line 1: the header is not UTF-8 text`);
  const scanner = new RecordScanner(separator);
  const fault = scanner.scan(line, 0, line.length);
  if (line.length === 0 || fault || scanner.has_inner_quote) {
    throw new Refusal(`${file}, line 1: the header cannot be read`);
  }
  const names = scanner.readFields(line, 0).map((name) => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Refusal(`${file}, line 1: the column '${twice}' is there twice`);
  const missing = described.filter(({ header }) => !names.includes(header));
  const used = missing.filter(({ is_optional }) => is_optional !== true);
  if (used.some(({ tells }) => tells === undefined)) {
    const list = used.map(({ header }) => `'${header}'`).join(', ');
    throw new Refusal(`${file}, line 1: the header lacks ${list}`);
  }
  const known = new Map(described.map(({ header, column }) => [header, column]));
  if (row_number !== undefined) known.set(row_number, ROW_NUMBER_COLUMN);
  // The column of `stage.column_text` for each field of a record; null for a field that is not read.
  const columns = names.map((name) => known.get(name) ?? null);
  const formed = described.flatMap(({ header, form }) =>
    form === undefined || !names.includes(header) ? [] : [{ at: names.indexOf(header), form }],
  );
  return {
    /** The header as text, without a byte order mark. */
    header: line.toString(),
    names,
    columns,
    formed,
    // stage.ts saves a notice of each unknown column.
    unknown: names.filter((name, at) => columns[at] === null && !ignored.includes(name)),
    /** The columns that the source describes and the file lacks. */
    missing,
    /** The names of missing columns of which a notice is saved: described columns with `tells`, and ignored columns. */
    absent: [
      ...missing.flatMap(({ header, tells }) => (tells ? [header] : [])),
      ...ignored.filter((name) => !names.includes(name)),
    ],
    /** Whether the first column is the row number, which fingerprints ignore, because it is no data of the record. */
    starts_with_row_number: columns[0] === ROW_NUMBER_COLUMN,
  };
}
