import { isDate } from '../../calendar.ts';
import { Refusal } from '../../errors.ts';
import { holdsElevenDigits, maskPersonalNumbers } from '../../sources/personal-number.ts';
import type { Fields, JoinDescription, JoinedTable } from '../../sources/source.ts';
import { tidy } from '../../sources/tidy.ts';
import type { DumpFile } from '../files.ts';
import type { Layout } from '../header.ts';
import { LineMemory, type ListedLine, type Span } from '../line-memory.ts';
import { findFault, RECORD_BYTES, RecordScanner } from '../record-scanner.ts';
import { TableReader } from '../table-reader.ts';
import { isWellFormed } from '../well-formed.ts';

/** A row of a joined table, where `number` is the key that joins the tables. */
export interface Row extends ListedLine {
  /** The reason why the row cannot be used: this row or the row before it is unreadable. */
  fault?: string;
}

/** The maximum number of columns of a joined table. */
const COLUMNS = 4096;
const afterLost = 'it follows a row that cannot be read';

/** A file of a dump, and the description of the joined table in the file. */
export interface RowContext {
  file: DumpFile;
  table: JoinedTable;
  join: JoinDescription;
  /** A text from which fingerprints are computed besides the data: the mapping's version. */
  seed: string;
}

/**
 * Reads the key and the fingerprint of each row of a joined table, without decoding the fields as text. A fingerprint
 * depends only on data columns, which are the columns that the source describes.
 */
export class RowReader extends TableReader {
  readonly context: RowContext;
  /** The names of the data columns, the columns that the source describes. */
  data_columns: readonly string[] = [];
  /** The rows that were read after the last call of `takeRows`. */
  #rows: Row[] = [];
  readonly #scanner: RecordScanner;
  #seed = 0n;
  /** The data columns: index in a row, name, and the name in the quoted form of a JSON key (`name"":""`). */
  #read: [at: number, column: string, name: Buffer][] = [];
  /** The data columns that `readFields` reads if `isBrief` is true: index in a row, and name. */
  #brief: [at: number, column: string][] = [];
  #copied: Buffer | undefined;
  #copy: Buffer = Buffer.alloc(0);
  #last_key = -1;
  #isAfterLost = false;
  /** The row that `#scanner` scanned last. */
  #scanned: Row | undefined;
  /** Whether `#scanned` contains eleven consecutive digits: they may be a person's number, which is masked. */
  #mayNamePerson = false;

  constructor(context: RowContext) {
    super({ ...context, separator: context.join.separator }, new LineMemory(COLUMNS));
    this.context = context;
    this.#scanner = new RecordScanner(context.join.separator);
  }

  override get processed_until(): string | undefined {
    // The WebAssembly code stores the day as a number YYYYMMDD.
    const day = String(this.memory.code.newest_day.value).replace(/(....)(..)(..)/, '$1-$2-$3');
    return isDate(day) ? day : undefined;
  }

  /** Returns the rows that were read after the previous call, and empties the list of rows. */
  takeRows(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Adds a row to the list that `takeRows` returns. */
  protected use({ data, start, end, line }: Span): string | undefined {
    const { listed } = this.memory.pass(this.#copyOf(data), line, (out) =>
      this.memory.code.quotedRow(start, end, this.#seed, out),
    );
    this.#keep(listed);
    const { key, key_digits } = this.context.join;
    return listed.length > 0 ? undefined : `no ${key} of ${key_digits} digits`;
  }

  passLines(data: Buffer, start: number, line: number) {
    if (!this.layout) return undefined;
    const { memory } = this;
    const passed = memory.pass(this.#copyOf(data), line, (out, out_end) =>
      memory.code.rows(start, data.length, RECORD_BYTES, this.#seed, out, out_end),
    );
    this.#keep(passed.listed);
    this.read_count += passed.listed.length;
    return passed;
  }

  #keep(rows: readonly Row[]): void {
    const [first] = rows;
    if (!first) return;
    if (this.#isAfterLost) first.fault = afterLost;
    this.#isAfterLost = false;
    this.rejects.pass();
    this.#last_key = rows.at(-1)!.number;
    for (const row of rows) this.#rows.push(row);
  }

  /** Returns a copy of `data`, because the next part of the file overwrites `data` in the shared memory area. */
  #copyOf(data: Buffer): Buffer {
    if (this.#copied !== data) {
      this.#copied = data;
      this.#copy = Buffer.from(data);
    }
    return this.#copy;
  }

  override async *read(): AsyncGenerator<void> {
    yield* super.read();
    if (!this.#isAfterLost) return;
    const nothing = { data: Buffer.alloc(0), start: 0, end: 0, high: 0, low: 0 };
    this.#rows.push({ ...nothing, number: Infinity, line: this.line_count, fault: afterLost });
  }

  /**
   * Returns the tidied fields of a row, or a text on why the row cannot be read.
   *
   * @param isBrief whether to read only the columns of `join.brief`
   */
  readFields(row: Row, isBrief = false): Fields | string {
    const { data, start } = row;
    const scanner = this.#scan(row);
    const fault = findFault(scanner, row, this.layout!.columns.length);
    if (fault !== undefined) return fault;
    const isTidy = !scanner.needs_tidying && !this.#mayNamePerson;
    const fields: Fields = {};
    const columns = isBrief ? this.#brief : this.#read;
    for (const [at, column] of columns) {
      const written = scanner.readField(data, start, at);
      const text = isTidy ? written : maskPersonalNumbers(tidy(written), column);
      if (text !== '') fields[column] = text;
    }
    return fields;
  }

  /** Returns whether the bytes of a readable row may be copied unchanged into COPY lines and JSON. */
  isVerbatim(row: Row): boolean {
    const { needs_escaping, needs_tidying } = this.#scan(row);
    return !needs_escaping && !needs_tidying && !this.#mayNamePerson;
  }

  /** Calls `visit` for each data field of a row, with the start and end of the field and the column's name. */
  eachField(row: Row, visit: (start: number, end: number, name: Buffer) => void): void {
    const { ends } = this.#scan(row);
    for (const [at, , name] of this.#read) {
      visit(at === 0 ? row.start : ends[at - 1]! + 1, ends[at]!, name);
    }
  }

  /** Returns whether each field of a row has the form that its column requires, such as a date. */
  isWellFormed(row: Row): boolean {
    const scan = this.#scan(row);
    const isCertain = scan.is_plain && !scan.is_multiline;
    return isCertain && isWellFormed(this.layout!.formed, row.data, row.start, scan);
  }

  #scan(row: Row): RecordScanner {
    const scanner = this.#scanner;
    if (this.#scanned !== row) {
      scanner.scan(row.data, row.start, row.end);
      this.#mayNamePerson = holdsElevenDigits(row.data, row.start, row.end);
    }
    this.#scanned = row;
    return scanner;
  }

  /** Rejects a row. The key of an unreadable row of details may be the key of the row before or after it. */
  protected override lose(span: Span, fault: string): void {
    super.lose(span, fault);
    const { table, join } = this.context;
    if (table !== join.details) return;
    const data = this.#copyOf(span.data);
    this.#rows.push({ ...span, number: this.#last_key, high: 0, low: 0, data, fault });
    this.#isAfterLost = true;
  }

  protected begin({ names, columns }: Layout): void {
    const { file, table, join, seed } = this.context;
    if (columns.length > COLUMNS) {
      throw new Refusal(`${file.file}, line 1: more than ${COLUMNS} columns`);
    }
    columns.forEach((column, at) => {
      if (column !== null) this.#read.push([at, column, Buffer.from(`${column}"":""`)]);
    });
    this.#brief = this.#read.flatMap(([at, column]) =>
      join.brief.includes(column) ? [[at, column]] : [],
    );
    this.data_columns = this.#read.map(([, column]) => column);
    this.#seed = this.memory.fingerprintOf([seed, table.file_key, ...this.data_columns].join('\n'));
    const { area, table_at, code } = this.memory;
    // One byte for each column, whose bits wasm/rows.ts defines as DATA, KEY and TOUCHED.
    const kinds = columns.map((column, at) => {
      const kind = column === null ? 0 : 1;
      return kind + (names[at] === join.key ? 2 : 0) + (names[at] === table.touched ? 4 : 0);
    });
    Buffer.from(area.buffer, table_at, columns.length).set(kinds);
    code.layOut(table_at, columns.length, join.separator.charCodeAt(0), join.key_digits);
  }
}
