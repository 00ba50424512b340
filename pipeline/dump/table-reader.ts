import { Refusal } from '../errors.ts';
import type { JoinedTable, Separator, TableColumns } from '../sources/source.ts';
import { inflateBounds, type OnRead, readArchive } from './archive.ts';
import type { DumpFile } from './files.ts';
import { type Layout, readHeader, refuseHeader } from './header.ts';
import { LineMemory } from './line-memory.ts';
import { readParquet } from './parquet/read-parquet.ts';
import type { RecordScanner } from './record-scanner.ts';
import { type RecordHandler, RecordSplitter, type Span } from './record-splitter.ts';
import { RejectList } from './reject-list.ts';

const LINE_FEED = 10;

/** A file that holds a table. */
export interface TableFile {
  file: DumpFile;
  table: TableColumns & Pick<JoinedTable, 'touched'>;
  separator: Separator;
}

/** What a file of a dump holds. */
export interface FileCount {
  file_no: number;
  read_count: number;
  line_count: number;
  content_hash: string;
  /** The columns that the source does not name. */
  unknown: readonly string[];
  /** Known columns that it lacks. */
  absent: readonly string[];
  /** The newest day on which the registry touched a row, YYYY-MM-DD; absent where it has none. */
  processed_until?: string | undefined;
}

/** Reads a file of a dump as a table. The first record is the header; a subclass takes the others. */
export abstract class TableReader implements RecordHandler {
  readonly file: DumpFile;
  readonly rejects: RejectList;
  readonly memory: LineMemory;
  layout: Layout | undefined;
  /** Counts records, without the header and blank lines. */
  read_count = 0;
  /** Count the bytes of the file that were read so far, and the inflated ones. */
  stored_bytes = 0;
  read_bytes = 0;
  line_count = 0;
  #content_hash = '';
  readonly #from: TableFile;

  constructor(from: TableFile, memory: LineMemory) {
    this.#from = from;
    this.file = from.file;
    this.memory = memory;
    this.rejects = new RejectList(from.file);
  }

  /** Reads the file, and yields after each part. Throws a `Refusal` when it cannot be read as a whole. */
  async *read(): AsyncGenerator<void> {
    const splitter = new RecordSplitter(this, this.memory, this.#from.separator);
    const onRead: OnRead = (stored_bytes, size, crc) => {
      this.stored_bytes = stored_bytes;
      this.read_bytes = size;
      this.#content_hash = `${size}-${crc.toString(16)}`;
    };
    for await (const chunk of readTable(this.#from, onRead)) {
      splitter.write(chunk);
      yield;
    }
    splitter.end();
    if (!this.layout) throw new Refusal(`${this.file.file}: an empty file, without a header`);
    this.line_count = splitter.line;
    this.stored_bytes = this.file.byte_count;
  }

  /** Counts what the file holds, after its last row. */
  count(): FileCount {
    const { file_no } = this.file;
    const { read_count, line_count } = this;
    const { unknown, absent } = this.layout!;
    return { file_no, read_count, line_count, content_hash: this.#content_hash, unknown, absent };
  }

  record(span: Span, scanned: RecordScanner | undefined): boolean {
    const { data, start, end } = span;
    if (this.layout) return start === end || this.take(span, scanned);
    const { table, separator } = this.#from;
    this.layout = readHeader(table, this.file.file, data.subarray(start, end), separator);
    this.begin(this.layout);
    return true;
  }

  reject(span: Span, reason: string): void {
    if (!this.layout) refuseHeader(this.file.file, reason);
    this.read_count += 1;
    this.lose(span, reason);
  }

  /** Called with the header. */
  protected abstract begin(layout: Layout): void;

  /** Takes a record, as `RecordHandler.record`. */
  protected abstract take(span: Span, scanned: RecordScanner | undefined): boolean;

  /** Rejects a line. */
  protected lose(span: Span, reason: string): void {
    this.rejects.add(span, reason);
  }

  /** Rejects the first line of a record that does not parse. @returns whether it has no other line */
  protected loseLine(span: Span, { is_multiline }: RecordScanner, fault: string): boolean {
    const { data, start } = span;
    this.lose(is_multiline ? { ...span, end: data.indexOf(LINE_FEED, start) } : span, fault);
    return !is_multiline;
  }
}

/** Reads a table as CSV, a part at a time. */
function readTable(
  { file: { file, path }, table: { columns, touched }, separator }: TableFile,
  onRead: OnRead,
): AsyncGenerator<Buffer> {
  if (!/\.parquet$/i.test(file)) return readArchive(path, inflateBounds, onRead);
  const read = touched === undefined ? columns : [...columns, { header: touched }];
  return readParquet(path, read, separator, onRead);
}

/** Reads a header, and nothing else. */
class HeaderReader extends TableReader {
  protected begin(): void {}

  protected take(): boolean {
    return true;
  }
}

/** Reads the header of a table, and no further; undefined for a file without any. */
export async function readLayout(from: TableFile): Promise<Layout | undefined> {
  const reader = new HeaderReader(from, new LineMemory());
  for await (const _ of reader.read()) if (reader.layout) break;
  return reader.layout;
}
