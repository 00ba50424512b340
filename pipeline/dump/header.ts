import { isUtf8 } from 'node:buffer';
import { Refusal } from '../errors.ts';
import type { TableSource } from '../sources/source.ts';
import { RecordScanner } from './record-scanner.ts';
import type { FormedColumns } from './well-formed.ts';

/** Which column of a file goes where; made from its header. */
export interface Layout {
  /** The header line, without a byte order mark. */
  header: string;
  /** For each field of a record the column of `stage.record`, or null where it is not known. */
  columns: readonly (string | null)[];
  formed: FormedColumns;
  unknown: readonly string[];
  /** Whether the first field numbers the rows, so that the rest of the record is its content. */
  starts_with_row_number: boolean;
}

/** The column of `stage.record` that holds a source's row number. */
export const ROW_NUMBER_COLUMN = 'row_number';

/**
 * Reads the header of a file. Columns are matched by name, in any order.
 * Throws a `Refusal` when a column is missing or there twice, or the line cannot be read.
 */
export function readHeader(source: TableSource, file: string, bytes: Buffer): Layout {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const line = hasMark ? bytes.subarray(3) : bytes;
  // UTF-16 has no valid UTF-8 behind its byte order mark, and NUL bytes without one.
  if (!isUtf8(line) || line.includes(0)) {
    throw new Refusal(`${file}, line 1: the header is not UTF-8 text`);
  }
  const scanner = new RecordScanner();
  const fault = scanner.scan(line, 0, line.length);
  if (line.length === 0 || fault || scanner.has_inner_quote) {
    throw new Refusal(`${file}, line 1: the header cannot be read`);
  }
  const names = scanner.readFields(line, 0).map((name) => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Refusal(`${file}, line 1: the column '${twice}' is there twice`);
  const missing = source.columns.filter(({ header }) => !names.includes(header));
  if (missing.length > 0) {
    const list = missing.map(({ header }) => `'${header}'`).join(', ');
    throw new Refusal(`${file}, line 1: the header lacks ${list}`);
  }
  const known = new Map(source.columns.map(({ header, column }) => [header, column]));
  known.set(source.row_number, ROW_NUMBER_COLUMN);
  const columns = names.map((name) => known.get(name) ?? null);
  const formed = source.columns.flatMap(({ header, form }) =>
    form === undefined ? [] : [{ at: names.indexOf(header), form }],
  );
  return {
    header: line.toString(),
    columns,
    formed,
    unknown: names.filter((_, at) => columns[at] === null),
    starts_with_row_number: columns[0] === ROW_NUMBER_COLUMN,
  };
}
