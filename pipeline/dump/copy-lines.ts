import type { Separator } from '../sources/source.ts';

const LINE_FEED = 10;

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

  /** @param last a field that is quoted already */
  addFields(prefix: string, fields: readonly string[], last?: string): void {
    const quoted = fields.map((field) => quoteField(field, ';'));
    if (last !== undefined) quoted.push(last);
    const text = `${prefix}${quoted.join(';')}\n`;
    // A UTF-16 unit takes at most three bytes of UTF-8.
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
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

/** Quotes a field by RFC 4180, if necessary. */
export function quoteField(field: string, separator: Separator): string {
  return field.includes(separator) || /["\r\n]/.test(field)
    ? `"${field.replaceAll('"', '""')}"`
    : field;
}
