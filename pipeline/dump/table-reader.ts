import { Refusal } from '../errors.ts';
import type { JoinedTable, Separator, TableColumns } from '../sources/source.ts';
import { inflateBounds, type OnRead, readArchive } from './archive.ts';
import type { DumpFile } from './files.ts';
import { type Layout, readHeader, refuseHeader } from './header.ts';
import { LineMemory, type Span } from './line-memory.ts';
import { readParquet } from './parquet/read-parquet.ts';
import { findFault, RecordScanner } from './record-scanner.ts';
import { type RecordHandler, RecordSplitter } from './record-splitter.ts';
import { RejectList } from './reject-list.ts';

const LINE_FEED = 10;

/** A file of a dump that contains a table, and the description of this table. */
export interface TableFile {
  file: DumpFile;
  table: TableColumns & Pick<JoinedTable, 'touched'>;
  separator: Separator;
}

/** Reads a dump file as a table. The first record is the header; subclasses process the records after the header. */
export abstract class TableReader implements RecordHandler {
  readonly file: DumpFile;
  readonly rejects: RejectList;
  readonly memory: LineMemory;
  layout: Layout | undefined;
  /** The number of records read, without the header and blank lines. */
  read_count = 0;
  /** The number of stored bytes of the file read so far; `read_bytes` is the number of bytes after decompression. */
  stored_bytes = 0;
  read_bytes = 0;
  line_count = 0;
  #content_hash = '';
  readonly #from: TableFile;
  readonly #scanner: RecordScanner;

  constructor(from: TableFile, memory: LineMemory) {
    this.#from = from;
    this.#scanner = new RecordScanner(from.separator);
    this.file = from.file;
    this.memory = memory;
    this.rejects = new RejectList(from.file);
  }

  /** Reads the file, and yields after each part of the file. Throws a `Refusal` for an unreadable file. */
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

  /** Returns the newest day on which the registry changed a row, YYYY-MM-DD; undefined if the rows have no such day. */
  get processed_until(): string | undefined {
    return undefined;
  }

  /** Returns the counts of the file as columns of `stage.file`. The counts are final once the last row is read. */
  count() {
    const { read_count, line_count, processed_until } = this;
    const { file_no } = this.file;
    return { file_no, read_count, line_count, content_hash: this.#content_hash, processed_until };
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

  /** Prepares the reading of records; `layout` is the file's header. */
  protected abstract begin(layout: Layout): void;

  /** Processes a valid record. @returns the reason why the record cannot be used; undefined if it was used */
  protected abstract use(span: Span, scan: RecordScanner): string | undefined;

  /** Processes or rejects a record after the header. @returns false if the splitter must read on at its second line */
  protected take(span: Span, scanned?: RecordScanner): boolean {
    const { data, start, end } = span;
    this.read_count += 1;
    const scan = scanned ?? this.#scanner;
    if (!scanned) scan.scan(data, start, end);
    const fault = findFault(scan, span, this.layout!.columns.length) ?? this.use(span, scan);
    const { is_multiline } = scan;
    if (fault === undefined) this.rejects.pass();
    else this.lose(is_multiline ? { ...span, end: data.indexOf(LINE_FEED, start) } : span, fault);
    return fault === undefined || !is_multiline;
  }

  /** Adds a line to the rejected lines of the file. */
  protected lose(span: Span, reason: string): void {
    this.rejects.add(span, reason);
  }
}

/** Yields the table of a file (CSV, or Parquet, which is converted to CSV) as CSV, one part at a time. */
function readTable(
  { file: { file, path }, table: { columns, touched }, separator }: TableFile,
  onRead: OnRead,
): AsyncGenerator<Buffer> {
  if (!/\.parquet$/i.test(file)) return readArchive(path, inflateBounds, onRead);
  const read = touched === undefined ? columns : [...columns, { header: touched }];
  return readParquet(path, read, separator, onRead);
}
