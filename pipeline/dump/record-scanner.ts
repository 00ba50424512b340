import type { Separator } from '../sources/source.ts';
import { findEncodingFault } from './encoding.ts';

const LINE_FEED = 10;
const RETURN = 13;
const BLANK = 32;
const QUOTE = 34;
const AMPERSAND = 38;
const HYPHEN = 45;
const SEMICOLON = 59;
const BACKSLASH = 92;

/** The kinds of bytes that the scanner must examine, as bits. All other bytes have the kind 0. */
const kinds = { separator: 1, blank: 2, nul: 4, return: 8, untidy: 16, quote: 32, escaped: 64 };

/**
 * Returns the kind of each byte value. Kind `untidy` marks characters that `tidy` may change: control characters, the
 * ampersand of an HTML entity, and the first UTF-8 byte of other white space or of a dash (U+0085 … U+FF0D).
 */
function listKinds(separator: Separator): Uint8Array {
  return new Uint8Array(256).map((_, byte) => {
    if (byte === separator.charCodeAt(0)) return kinds.separator;
    if (byte === BLANK) return kinds.blank;
    if (byte === 0) return kinds.nul;
    if (byte === RETURN) return kinds.return;
    if (byte === QUOTE) return kinds.quote;
    if (byte === SEMICOLON || byte === BACKSLASH) return kinds.escaped;
    const isUntidy = byte < BLANK || [AMPERSAND, 0xc2, 0xe1, 0xe2, 0xe3, 0xef].includes(byte);
    return isUntidy ? kinds.untidy : 0;
  });
}

const kindsOf = { ';': listKinds(';'), ',': listKinds(',') };

/** The maximum length of a record, in bytes. Each line of a longer record is rejected. */
export const RECORD_BYTES = 32 * 1024;

/**
 * The reason why a record has no valid end: a quoted field never closes, or continues after its closing quote.
 * `RecordSplitter` rejects the first line of a record without a valid end, and goes on at the next line.
 */
type ScanFault = 'open quote' | 'stray quote';

/** Finds the fields and the end of each record, as RFC 4180 (CSV) specifies. */
export class RecordScanner {
  /** The index at which the record ends, before its LF or CRLF. */
  end = 0;
  /** The index of the line feed after the record, or of the end of the bytes. */
  line_feed = 0;
  field_count = 0;
  /** The indices at which the record's fields end, after a closing quote. */
  readonly ends = new Uint32Array(RECORD_BYTES + 3);
  /** The number of line feeds within the quoted fields of the record. */
  feed_count = 0;
  /** Whether COPY reads the record as RFC 4180 specifies: no quoted field is empty, no unquoted field has a quote. */
  is_plain = true;
  /** Whether an unquoted field contains a quote, which makes the record invalid. */
  has_inner_quote = false;
  /** Whether `tidy` may change a field of the record; if false, `tidy` certainly changes no field. */
  needs_tidying = false;
  /** Whether fields contain characters that CSV or JSON escapes: quotes, backslashes, or semicolons as text. */
  needs_escaping = false;
  is_ascii = true;
  has_nul = false;

  #seen = 0;
  #high = 0;
  readonly separator: Separator;
  readonly #separator: number;
  readonly #kind_of_byte: Uint8Array;

  constructor(separator: Separator = ';') {
    this.separator = separator;
    this.#separator = separator.charCodeAt(0);
    this.#kind_of_byte = kindsOf[separator];
  }

  /** Scans the first record of data[start, stop). @returns why the record has no valid end; undefined if valid */
  scan(data: Uint8Array, start: number, stop: number): ScanFault | undefined {
    this.field_count = 0;
    this.feed_count = 0;
    this.is_plain = true;
    this.has_inner_quote = false;
    this.needs_tidying = false;
    this.#seen = 0;
    this.#high = 0;
    let at = start;
    for (;;) {
      const isQuoted = at < stop && data[at] === QUOTE;
      if (isQuoted) this.#seen |= kinds.quote;
      at = isQuoted ? this.#scanQuoted(data, at, stop) : this.#scanUnquoted(data, at, stop);
      if (at < 0) return 'open quote';
      this.ends[this.field_count] = at;
      this.field_count += 1;
      if (at >= stop || data[at] !== this.#separator) break;
      at += 1;
    }
    if (at < stop && data[at] !== LINE_FEED && !isLineEnd(data, at, stop)) return 'stray quote';
    this.end = at;
    this.line_feed = at < stop && data[at] === RETURN ? at + 1 : at;
    this.is_ascii = this.#high < 128;
    this.needs_escaping = (this.#seen & (kinds.quote | kinds.escaped)) !== 0;
    this.has_nul = (this.#seen & kinds.nul) !== 0;
    if ((this.#seen & (kinds.nul | kinds.return | kinds.untidy)) !== 0) {
      this.needs_tidying = true;
    }
    return undefined;
  }

  get is_multiline(): boolean {
    return this.feed_count > 0;
  }

  /** Returns the fields of the last scanned record, which begins at data[start]. */
  readFields(data: Buffer, start: number): string[] {
    return Array.from({ length: this.field_count }, (_, at) => this.readField(data, start, at));
  }

  /** Returns field `at` of the last scanned record, which begins at data[start]. */
  readField(data: Buffer, start: number, at: number): string {
    const field = data.toString('utf8', at === 0 ? start : this.ends[at - 1]! + 1, this.ends[at]);
    return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
  }

  /** Scans an unquoted field. @returns the index at which the field ends */
  #scanUnquoted(data: Uint8Array, start: number, stop: number): number {
    const kind_of_byte = this.#kind_of_byte;
    let at = start;
    let seen = 0;
    let high = 0;
    let before: number = kinds.blank;
    for (; at < stop; at += 1) {
      const byte = data[at]!;
      const kind = kind_of_byte[byte]!;
      if (kind !== 0) {
        if (kind === kinds.separator || byte === LINE_FEED) break;
        if (kind === kinds.return && data[at + 1] === LINE_FEED && at + 1 < stop) break;
        seen |= kind;
        if (kind === kinds.blank && before === kinds.blank) this.needs_tidying = true;
      }
      high |= byte;
      before = kind;
    }
    // A field that begins with a hyphen may need tidying, because `tidy` makes a field of only hyphens blank.
    if (at > start && (before === kinds.blank || data[start] === HYPHEN)) this.needs_tidying = true;
    if ((seen & kinds.quote) !== 0) {
      this.is_plain = false;
      this.has_inner_quote = true;
    }
    this.#seen |= seen;
    this.#high |= high;
    return at;
  }

  /** Scans a quoted field. @returns the index after the closing quote, or -1 if the field has no closing quote */
  #scanQuoted(data: Uint8Array, start: number, stop: number): number {
    const kind_of_byte = this.#kind_of_byte;
    let at = start + 1;
    let before: number = kinds.blank;
    for (; at < stop; at += 1) {
      const byte = data[at]!;
      let kind = kind_of_byte[byte]!;
      if (kind === kinds.quote) {
        // Within a quoted field, two consecutive quotes encode one quote (`"a""b"` → `a"b`).
        if (data[at + 1] !== QUOTE || at + 1 >= stop) break;
        at += 1;
      } else if (kind === kinds.separator) kind = 0;
      else if (byte === LINE_FEED) this.feed_count += 1;
      if (kind === kinds.blank && before === kinds.blank) this.needs_tidying = true;
      this.#seen |= kind;
      this.#high |= byte;
      before = kind;
    }
    if (at >= stop) return -1;
    if (at === start + 1) this.is_plain = false;
    else if (before === kinds.blank || data[start + 1] === HYPHEN) this.needs_tidying = true;
    return at + 1;
  }
}

/** Returns whether data[at] is a carriage return that belongs to a line end: a line feed or nothing follows. */
function isLineEnd(data: Uint8Array, at: number, stop: number): boolean {
  return data[at] === RETURN && (at + 1 >= stop || data[at + 1] === LINE_FEED);
}

/** Returns the reason why a scanned record is no valid row of `field_count` fields; undefined for a valid row. */
export function findFault(
  scan: RecordScanner,
  span: { data: Buffer; start: number; end: number },
  field_count: number,
): string | undefined {
  const fault = findEncodingFault(scan, span);
  if (fault !== undefined) return fault;
  if (scan.has_inner_quote) return 'quotes that do not match';
  if (scan.field_count !== field_count) {
    return `${scan.field_count} fields instead of ${field_count}`;
  }
  if (scan.is_multiline && spansRows(scan.readFields(span.data, span.start), scan.separator)) {
    return 'a quote that closes in another row';
  }
  return undefined;
}

/**
 * Returns whether a field with a line break probably has parts of two rows, because a quote is missing. Such a field
 * ends with a separator, or contains as many separators as a whole row.
 */
function spansRows(fields: readonly string[], separator: Separator): boolean {
  return fields.some((field) => {
    if (!field.includes('\n')) return false;
    const last = field.replace(/"*$/, '').at(-1);
    return last === separator || field.split(separator).length >= fields.length;
  });
}
