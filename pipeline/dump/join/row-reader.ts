import { isDate } from '../../calendar.ts';
import { Refusal } from '../../errors.ts';
import { holdsElevenDigits, maskPersonalNumbers } from '../../sources/personal-number.ts';
import type { Fields, JoinDescription, JoinedTable } from '../../sources/source.ts';
import { tidy } from '../../sources/text.ts';
import type { DumpFile } from '../files.ts';
import type { Halves } from '../known-fingerprints.ts';
import { LineMemory, RECORD_WORDS } from '../line-memory.ts';
import { type Layout, readHeader, refuseHeader } from '../header.ts';
import { findFault, RECORD_BYTES, RecordScanner } from '../record-scanner.ts';
import type { RecordHandler } from '../record-splitter.ts';
import { RejectList } from '../reject-list.ts';

const [zero, quote] = Buffer.from('0"') as unknown as [number, number];
const LINE_FEED = 10;

/** A row of a joined table, with the fingerprint of its data. */
export interface Row extends Halves {
  /** The number that joins the tables. */
  key: number;
  data: Buffer;
  start: number;
  end: number;
  line: number;
  /** Why it cannot be used, as far as that is known before its fields are read; it is rejected then. */
  fault: string | undefined;
}

/** A table has fewer columns than this. */
const COLUMNS = 4096;
const afterLost = 'it follows a row that cannot be read';

/** Which table a file holds, and how. */
export interface RowContext {
  file: DumpFile;
  table: JoinedTable;
  join: JoinDescription;
  /** What its fingerprints depend on beside its data, such as the version of the mapping. */
  seed: string;
}

/**
 * Reads the key and the fingerprint of each row of a joined table, and the text of no field. Columns that
 * are no data count nothing: a row stays the same when they change, come or go.
 */
export class RowReader implements RecordHandler {
  readonly rejects: RejectList;
  /** The rows since the last `take`. */
  rows: Row[] = [];
  read_count = 0;
  layout: Layout | undefined;

  readonly #context: RowContext;
  readonly #separator: number;
  /** Has scanned the row of the last `readFields`. */
  readonly scanner: RecordScanner;
  readonly #found_ends = new Uint32Array(RECORD_BYTES + 3);
  readonly memory = new LineMemory(COLUMNS);
  #seed = 0n;
  #key_at = 0;
  #touched_at = 0;
  /** The columns that are data, by their place in a row, with their name and a colon in quoted JSON. */
  #read: [at: number, column: string, name: Buffer][] = [];
  /** Of these columns the ones that `readFields` reads when it is asked for brief fields. */
  #brief: [at: number, column: string][] = [];
  /** The first and the last column of each run of columns that are data. */
  readonly #runs: [first: number, last: number][] = [];
  #copied: Buffer | undefined;
  #copy: Buffer = Buffer.alloc(0);
  #last_key = -1;
  #isAfterLost = false;
  #scanned: Row | undefined;
  /** Whether the scanned row holds a number of eleven digits. */
  #mayNamePerson = false;

  constructor(context: RowContext) {
    this.#context = context;
    this.#separator = context.join.separator.charCodeAt(0);
    this.rejects = new RejectList(context.file);
    this.scanner = new RecordScanner(context.join.separator);
  }

  /** The newest day on which the registry touched a row, YYYY-MM-DD; undefined when there is none. */
  get processed_until(): string | undefined {
    // A number YYYYMMDD.
    const day = String(this.memory.code.newest_day.value).replace(/(....)(..)(..)/, '$1-$2-$3');
    return isDate(day) ? day : undefined;
  }

  take(): Row[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  record(
    data: Buffer,
    start: number,
    end: number,
    line: number,
    scanned: RecordScanner | undefined,
  ): boolean {
    if (!this.layout) {
      this.#readHeader(data.subarray(start, end));
      return true;
    }
    if (start === end) return true;
    this.read_count += 1;
    const ends = scanned ? scanned.ends : this.#found_ends;
    const count = scanned ? scanned.field_count : this.#findEnds(data, start, end);
    const fault = this.#findFault(data, start, end, count, scanned);
    const key = this.#readKey(data, start, ends, count);
    if (fault !== undefined || key < 0) {
      const isMultiline = scanned?.is_multiline === true;
      const stop = isMultiline ? data.indexOf(LINE_FEED, start) : end;
      const { key: name, key_digits } = this.#context.join;
      this.#lose(data, start, stop, line, fault ?? `no ${name} of ${key_digits} digits`);
      return !isMultiline;
    }
    const touched = this.#touched_at;
    if (touched >= 0) {
      this.memory.code.noteDay(touched === 0 ? start : ends[touched - 1]! + 1, ends[touched]!);
    }
    const print = this.#print(start, ends);
    const high = Number(BigInt.asIntN(32, print >> 32n));
    this.#keep(
      key,
      this.#keepBytes(data),
      start,
      end,
      line,
      high,
      Number(BigInt.asIntN(32, print)),
    );
    return true;
  }

  passLines(data: Buffer, start: number, line: number) {
    if (!this.layout) return undefined;
    const { memory } = this;
    const passed = memory.pass((out, out_end) =>
      memory.code.rows(start, data.length, RECORD_BYTES, this.#seed, out, out_end),
    );
    const { words } = memory;
    const copy = this.#keepBytes(data);
    for (let at = 0; at < passed.listed_count * RECORD_WORDS; at += RECORD_WORDS) {
      const row_line = line + words[at + 3]!;
      const [low, high] = [words[at + 4]! | 0, words[at + 5]! | 0];
      this.#keep(words[at]!, copy, words[at + 1]!, words[at + 2]!, row_line, high, low);
    }
    this.read_count += passed.listed_count;
    return passed;
  }

  #keep(
    key: number,
    data: Buffer,
    start: number,
    end: number,
    line: number,
    high: number,
    low: number,
  ): void {
    const fault = this.#isAfterLost ? afterLost : undefined;
    this.#isAfterLost = false;
    this.rejects.pass();
    this.#last_key = key;
    this.rows.push({ key, high, low, data, start, end, line, fault });
  }

  /** A copy of the bytes of the area, which change while the rows are kept. */
  #keepBytes(data: Buffer): Buffer {
    if (this.#copied !== data) {
      this.#copied = data;
      this.#copy = Buffer.from(data);
    }
    return this.#copy;
  }

  reject(data: Buffer, start: number, end: number, line: number, reason: string): void {
    if (!this.layout) refuseHeader(this.#context.file.file, reason);
    this.read_count += 1;
    this.#lose(data, start, end, line, reason);
  }

  /** Call after the last record. Throws a `Refusal` when the file had no header. */
  end(line: number): void {
    const { file } = this.#context;
    if (!this.layout) throw new Refusal(`${file.file}: an empty file, without a header`);
    if (!this.#isAfterLost) return;
    const nothing = { data: Buffer.alloc(0), start: 0, end: 0, high: 0, low: 0 };
    this.rows.push({ ...nothing, key: Infinity, line, fault: afterLost });
  }

  /**
   * The tidied fields of a row, or why it cannot be read.
   *
   * @param isBrief whether the few columns are enough that tell which details are listed
   */
  readFields(row: Row, isBrief = false): Fields | string {
    const { data, start, end } = row;
    const scanner = this.#scan(row);
    const fault = findFault(scanner, data, start, end, this.layout!.columns.length);
    if (fault !== undefined) return fault;
    const { ends, is_ascii, needs_tidying } = scanner;
    // Parts of one text cost a fifth of as many texts of their own.
    const whole = is_ascii && !isBrief ? data.toString('latin1', start, end) : undefined;
    const fields: Fields = {};
    const columns = isBrief ? this.#brief : this.#read;
    for (const [at, column] of columns) {
      const from = at === 0 ? start : ends[at - 1]! + 1;
      const to = ends[at]!;
      if (from === to) continue;
      let text = whole?.slice(from - start, to - start) ?? data.toString('utf8', from, to);
      if (data[from] === quote) text = text.slice(1, -1).replaceAll('""', '"');
      if (needs_tidying || this.#mayNamePerson) text = maskPersonalNumbers(tidy(text), column);
      if (text !== '') fields[column] = text;
    }
    return fields;
  }

  /**
   * Visits the fields of a row that can be read, as long as `visit` returns true.
   *
   * @returns false where it did not, or where texts must be tidied or masked, or are quoted
   */
  eachField(row: Row, visit: (start: number, end: number, name: Buffer) => boolean): boolean {
    const { ends, needs_tidying } = this.#scan(row);
    if (needs_tidying || this.#mayNamePerson) return false;
    for (const [at, , name] of this.#read) {
      if (!visit(at === 0 ? row.start : ends[at - 1]! + 1, ends[at]!, name)) return false;
    }
    return true;
  }

  #scan(row: Row): RecordScanner {
    const { scanner } = this;
    if (this.#scanned !== row) {
      scanner.scan(row.data, row.start, row.end);
      this.#mayNamePerson = holdsElevenDigits(row.data, row.start, row.end);
    }
    this.#scanned = row;
    return scanner;
  }

  rejectRow({ data, start, end, line }: Row, reason: string): void {
    this.rejects.add(data.subarray(start, end), line, reason);
  }

  /** Rejects a row. A row of details may belong to the record of the row before it, or of the one after it. */
  #lose(data: Buffer, start: number, end: number, line: number, fault: string): void {
    this.rejects.add(data.subarray(start, end), line, fault);
    const { table, join } = this.#context;
    if (table !== join.details) return;
    const kept = { data: this.#keepBytes(data), start, end, line, fault };
    this.rows.push({ key: this.#last_key, high: 0, low: 0, ...kept });
    this.#isAfterLost = true;
  }

  #readHeader(bytes: Buffer): void {
    const { file, table, join, seed } = this.#context;
    const layout = readHeader(table, file.file, bytes, join.separator);
    const { names, columns } = layout;
    const { touched } = table;
    this.layout = layout;
    this.#key_at = names.indexOf(join.key);
    this.#touched_at = touched === undefined ? -1 : names.indexOf(touched);
    columns.forEach((column, at) => {
      if (column === null) return;
      const run = this.#runs.at(-1);
      if (run?.[1] === at - 1) run[1] = at;
      else this.#runs.push([at, at]);
    });
    this.#read = columns.flatMap((column, at) =>
      column === null ? [] : [[at, column, Buffer.from(`${column}"":""`)]],
    );
    this.#brief = this.#read.flatMap(([at, column]) =>
      join.brief.includes(column) ? [[at, column]] : [],
    );
    const data = this.#read.map(([, column]) => column);
    this.#seed = this.memory.fingerprintOf([seed, table.file_key, ...data].join('\n'));
    this.#layOut(columns);
  }

  #layOut(columns: Layout['columns']): void {
    const { file, join } = this.#context;
    if (columns.length > COLUMNS) {
      throw new Refusal(`${file.file}, line 1: more than ${COLUMNS} columns`);
    }
    const { area, table_at, code } = this.memory;
    const kept = Buffer.from(area.buffer, table_at, columns.length);
    columns.forEach((column, at) => (kept[at] = column === null ? 0 : 1));
    const touched = this.#touched_at < 0 ? columns.length : this.#touched_at;
    code.layOut(table_at, columns.length, this.#separator, this.#key_at, join.key_digits, touched);
  }

  /** Finds the ends of the fields of a row without quotes. @returns their number */
  #findEnds(data: Buffer, start: number, end: number): number {
    const ends = this.#found_ends;
    const separator = this.#separator;
    let count = 0;
    for (let at = start; at < end; at += 1) if (data[at] === separator) ends[count++] = at;
    ends[count++] = end;
    return count;
  }

  #findFault(
    data: Buffer,
    start: number,
    end: number,
    field_count: number,
    scanned: RecordScanner | undefined,
  ): string | undefined {
    const expected = this.layout!.columns.length;
    if (scanned) return findFault(scanned, data, start, end, expected);
    return field_count === expected ? undefined : `${field_count} fields instead of ${expected}`;
  }

  /** @returns -1 without a key of the right length */
  #readKey(data: Buffer, start: number, ends: Uint32Array, field_count: number): number {
    const at = this.#key_at;
    if (at >= field_count) return -1;
    let from = at === 0 ? start : ends[at - 1]! + 1;
    let to = ends[at]!;
    if (data[from] === quote && to - from >= 2) {
      from += 1;
      to -= 1;
    }
    if (to - from !== this.#context.join.key_digits) return -1;
    return readDigits(data, from, to);
  }

  /** The fingerprint of a row in the area: its runs of columns that are data, one after another. */
  #print(start: number, ends: Uint32Array): bigint {
    return this.#runs.reduce((print, [first, last]) => {
      const from = first === 0 ? start : ends[first - 1]! + 1;
      return this.memory.code.hash(from, ends[last]!, print);
    }, this.#seed);
  }
}

/** The number that data[start, end) writes; -1 when a byte is no digit. */
function readDigits(data: Buffer, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = data[at]! - zero;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}
