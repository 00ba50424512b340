import type { Separator } from '../../sources/source.ts';
import type { Column } from './column.ts';

const [LINE_FEED, RETURN, QUOTE, ZERO, NINE] = Buffer.from('\n\r"09') as unknown as [
  number,
  number,
  number,
  number,
  number,
];
/** The most bytes that quotes around a field, or zeros before a number, add. */
const MOST_MORE_BYTES = 32;

/** Writes the rows of Parquet columns as lines of CSV. */
export class LineWriter {
  #bytes: Uint8Array = new Uint8Array(64 * 1024);
  readonly #separator: number;
  /** The bytes that require quotes around their field: 1 at the index of such a byte. */
  readonly #isSpecial = new Uint8Array(256);

  constructor(separator: Separator) {
    this.#separator = separator.charCodeAt(0);
    for (const byte of [this.#separator, LINE_FEED, RETURN, QUOTE]) this.#isSpecial[byte] = 1;
  }

  /** Writes the next rows of columns as lines of `width` fields. @returns the lines, valid until the next call */
  write(columns: readonly Column[], width: number, row_count: number): Buffer {
    const filled = columns.filter((column) => column.find(row_count));
    const byte_count = filled.reduce((sum, column) => sum + column.byte_count, 0);
    const needed = row_count * (width + 1) * MOST_MORE_BYTES + byte_count * 2;
    if (needed > this.#bytes.length) this.#bytes = new Uint8Array(needed * 2);
    const bytes = this.#bytes;
    let length = 0;
    for (let row = 0; row < row_count; row += 1) length = this.#addLine(filled, width, row, length);
    return Buffer.from(bytes.buffer, 0, length);
  }

  /** Writes one line at the index `begin`. @returns the index at which the line ends */
  #addLine(columns: readonly Column[], width: number, row: number, begin: number): number {
    const bytes = this.#bytes;
    const separator = this.#separator;
    const isSpecial = this.#isSpecial;
    let length = begin;
    let place = 0;
    for (let of = 0; of < columns.length; of += 1) {
      const column = columns[of]!;
      for (; place < column.at; place += 1) bytes[length++] = separator;
      const data = column.bytes;
      const start = column.starts[row]!;
      const end = column.ends[row]!;
      const { digits } = column;
      if (end - start < digits) length = this.#addZeros(data, start, end, digits, length);
      const field = length;
      for (let at = start; at < end; at += 1) {
        const byte = data[at]!;
        if (isSpecial[byte] === 1) {
          length = this.#addQuoted(data, start, end, field);
          break;
        }
        bytes[length++] = byte;
      }
    }
    for (; place < width - 1; place += 1) bytes[length++] = separator;
    bytes[length++] = LINE_FEED;
    return length;
  }

  /** Writes the leading zeros that a typed file drops from a number. @returns the index after the zeros */
  #addZeros(data: Uint8Array, start: number, end: number, digits: number, begin: number): number {
    if (!areDigits(data, start, end)) return begin;
    const length = begin + digits - (end - start);
    this.#bytes.fill(ZERO, begin, length);
    return length;
  }

  /** Writes a field with quotes, by RFC 4180. @returns the index after the field */
  #addQuoted(data: Uint8Array, start: number, end: number, begin: number): number {
    const bytes = this.#bytes;
    let length = begin;
    bytes[length++] = QUOTE;
    for (let at = start; at < end; at += 1) {
      const byte = data[at]!;
      if (byte === QUOTE) bytes[length++] = QUOTE;
      bytes[length++] = byte;
    }
    bytes[length++] = QUOTE;
    return length;
  }
}

function areDigits(data: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (data[at]! < ZERO || data[at]! > NINE) return false;
  return start < end;
}
