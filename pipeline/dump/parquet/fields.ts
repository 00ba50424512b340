import type { Separator } from '../../sources/source.ts';
import { quoteField } from '../copy-lines.ts';

const [LINE_FEED, RETURN, QUOTE] = [10, 13, 34];

/** Holds CSV fields in one byte array, numbered from 1. Field n is bytes[ends[n - 1], ends[n]). */
export class Fields {
  bytes: Buffer;
  readonly ends: Uint32Array;
  #count = 0;
  readonly #separator: Separator;
  /** The number of digits to which zeros pad a number on the left, because numeric columns lose leading zeros. */
  readonly #digits: number;

  constructor(count: number, byte_count: number, separator: Separator, digits: number) {
    this.bytes = Buffer.allocUnsafeSlow(byte_count);
    this.ends = new Uint32Array(count + 1);
    this.#separator = separator;
    this.#digits = digits;
  }

  /** Adds the text data[start, end) as a field, in quotes if the text needs quotes. */
  add(data: Uint8Array, start: number, end: number): void {
    const separator = this.#separator.charCodeAt(0);
    const begin = this.ends[this.#count]!;
    const bytes = this.#reserve(begin, end - start);
    let isPlain = end - start >= this.#digits;
    let length = begin;
    for (let at = start; at < end; at += 1) {
      const byte = data[at]!;
      if (byte === separator || byte === QUOTE || byte === LINE_FEED || byte === RETURN) {
        isPlain = false;
      }
      bytes[length++] = byte;
    }
    if (!isPlain) {
      const text = bytes.toString('latin1', begin, length);
      const whole = /^\d+$/.test(text) ? text.padStart(this.#digits, '0') : text;
      const written = quoteField(whole, this.#separator);
      length = begin + this.#reserve(begin, written.length).write(written, begin, 'latin1');
    }
    this.ends[++this.#count] = length;
  }

  #reserve(begin: number, count: number): Buffer {
    const needed = begin + count;
    if (needed > this.bytes.length) this.bytes = Buffer.concat([this.bytes], needed * 2);
    return this.bytes;
  }
}
