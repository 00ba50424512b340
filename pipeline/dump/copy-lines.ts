const LINE_FEED = 10;

/** Lines for `COPY … (format csv, delimiter ';')`, gathered between two writes. */
export class CopyLines {
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

  /** Takes out what was gathered, in memory of its own, since it may still be on its way later. */
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

function quote(field: string): string {
  return /[;"\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
