import { toBigint, type Fingerprint } from './fingerprint.ts';

const SEPARATOR = 59;
const BLANK = 32;
const LINE_FEED = 10;
/**
 * What each byte may mean: 1 a separator, 2 a blank, 4 NUL, 8 a carriage return, 16 another control
 * character or the first byte of the UTF-8 form of white space beyond ASCII (U+0085 … U+FEFF).
 */
const BYTE_KINDS = new Uint8Array(256).map((_, byte) => {
  if (byte === SEPARATOR) return 1;
  if (byte === BLANK) return 2;
  if (byte === 0) return 4;
  if (byte === 13) return 8;
  return byte < BLANK || [0xc2, 0xe1, 0xe2, 0xe3, 0xef].includes(byte) ? 16 : 0;
});

/** Lines for `COPY stage.record … (format csv, delimiter ';')`, gathered between two writes. */
export class CopyBuffer {
  #bytes = Buffer.allocUnsafeSlow(256 * 1024);
  #length = 0;

  /** Bytes that were gathered. */
  get length(): number {
    return this.#length;
  }

  /** A record whose fields need no parser, as it stands in the file. */
  addPlain(prefix: string, data: Buffer, start: number, end: number): void {
    this.#reserve(prefix.length + end - start + 1);
    this.#length += this.#bytes.write(prefix, this.#length, 'latin1');
    data.copy(this.#bytes, this.#length, start, end);
    this.#length += end - start;
    this.#bytes[this.#length++] = LINE_FEED;
  }

  addFields(prefix: string, fields: readonly string[]): void {
    const text = `${prefix}${fields.map(quote).join(';')}\n`;
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Takes out what was gathered, in memory of its own; undefined when there is nothing. */
  take(): Buffer<ArrayBuffer> | undefined {
    if (this.#length === 0) return undefined;
    const taken = this.#bytes.subarray(0, this.#length);
    // The taken bytes are still on their way to the server: the next ones go elsewhere.
    this.#bytes = Buffer.allocUnsafeSlow(this.#bytes.length);
    this.#length = 0;
    return taken;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** What was seen of a record without reading its fields. */
export interface RecordLook {
  /** Whether there may be white space to trim or to collapse; never false when there is. */
  needs_tidying: boolean;
  /** Whether the fields that have a form are known to have it. */
  is_sound: boolean;
}

/** The columns that every staged record begins with. */
export function recordPrefix(
  file_no: number,
  line: number,
  fingerprint: Fingerprint,
  { needs_tidying, is_sound }: RecordLook,
): string {
  return `${file_no};${line};${toBigint(fingerprint)};${needs_tidying ? 't' : 'f'};${is_sound ? 't' : 'f'};`;
}

function quote(field: string): string {
  return /[;"\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** What the bytes of a record say, without reading its fields. */
export interface Scan {
  separators: number;
  has_nul: boolean;
  /** A carriage return that ends no line. */
  has_return: boolean;
  is_ascii: boolean;
  /** Whether there may be white space to trim or to collapse; never false when there is. */
  needs_tidying: boolean;
}

/**
 * Looks at data[start, end) once.
 *
 * @param ends is told where each field ends; it may have room for fewer than there are
 */
export function scanRecord(data: Buffer, start: number, end: number, ends: Uint32Array): Scan {
  let separators = 0;
  let high = 0;
  let seen = 0;
  let needs_tidying = false;
  let before = 1;
  for (let at = start; at < end; at++) {
    const byte = data[at]!;
    const kind = BYTE_KINDS[byte]!;
    high |= byte;
    if (kind !== 0) {
      seen |= kind;
      if (kind === 1) ends[separators++] = at;
      // A blank at either end of a field, or two in a row.
      if ((kind === 2 && before !== 0) || (kind === 1 && before === 2)) needs_tidying = true;
    }
    before = kind & 3;
  }
  ends[separators] = end;
  return {
    separators,
    has_nul: (seen & 4) !== 0,
    has_return: (seen & 8) !== 0,
    is_ascii: high < 128,
    needs_tidying: needs_tidying || before === 2 || seen > 3,
  };
}
