const LINE_FEED = 10;

/** Lines for `COPY … (format csv, delimiter ';')`, gathered between two writes. */
export class CopyLines {
  #bytes = Buffer.allocUnsafeSlow(256 * 1024);
  #length = 0;

  /** In bytes. */
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
    const text = `${prefix}${fields.map(quoteField).join(';')}\n`;
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Takes out the lines, in their own memory: they may still be on their way later. */
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

/** A field as RFC 4180 writes it. */
export function quoteField(field: string): string {
  return /[;"\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
