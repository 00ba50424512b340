import type { Separator } from '../sources/source.ts';

const LINE_FEED = 10;
const QUOTE = 34;
const SEMICOLON = 59;
const BACKSLASH = 92;

/** Collects lines for `COPY … (format csv, delimiter ';')` between two writes. */
export class CopyLines {
  #bytes = Buffer.allocUnsafeSlow(256 * 1024);
  #length = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a record whose fields need no parser, byte for byte. */
  addPlain(prefix: string, data: Buffer, start: number, end: number): void {
    this.#reserve(prefix.length + end - start + 1);
    this.#length += this.#bytes.write(prefix, this.#length, 'latin1');
    data.copy(this.#bytes, this.#length, start, end);
    this.#length += end - start;
    this.#bytes[this.#length++] = LINE_FEED;
  }

  addFields(prefix: string, fields: readonly string[]): void {
    this.addText(`${prefix}${joinFields(fields)}\n`);
  }

  /** Adds a part of a line as it is. */
  addText(text: string): void {
    // A UTF-16 unit takes at most three bytes of UTF-8.
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Adds data[start, end) as it is. @returns false for a byte that CSV quotes, or JSON escapes */
  addBytes(data: Uint8Array, start: number, end: number): boolean {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let length = this.#length;
    for (let at = start; at < end; at += 1) {
      const byte = data[at]!;
      if (byte === QUOTE || byte === BACKSLASH || byte === SEMICOLON) return false;
      bytes[length++] = byte;
    }
    this.#length = length;
    return true;
  }

  /** Adds a part of a line that is quoted, or escaped, already. */
  addQuoted(part: Uint8Array): void {
    this.#reserve(part.length);
    // A loop is faster than `set` for so few bytes.
    for (const byte of part) this.#bytes[this.#length++] = byte;
  }

  /** Takes back what was added since the lines had so many bytes. */
  cut(length: number): void {
    this.#length = length;
  }

  /** Returns the lines in a buffer that is not used again: COPY may still be sending it. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
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

/** Fields of a line, quoted where they need it. */
export function joinFields(fields: readonly string[]): string {
  return fields.map((field) => quoteField(field, ';')).join(';');
}

/** Quotes a field by RFC 4180, if necessary. */
export function quoteField(field: string, separator: Separator): string {
  return field.includes(separator) || /["\r\n]/.test(field)
    ? `"${field.replaceAll('"', '""')}"`
    : field;
}
