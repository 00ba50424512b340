import { pipeline } from 'node:stream/promises';
import { escapeIdentifier, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Separator } from '../sources/source.ts';

const LINE_FEED = 10;

/** The number of copied rows from which Postgres needs statistics of the rows. */
export const LARGE_ROWS = 500;

/**
 * Copies batches of lines into a table, with null for an empty field, and analyzes the table after a large copy.
 *
 * @returns the number of rows
 */
export async function copyBatches(
  client: PoolClient,
  table: string,
  columns: readonly string[],
  batches: AsyncIterable<Buffer>,
): Promise<number> {
  const list = columns.map(escapeIdentifier).join(', ');
  const text = `copy ${table} (${list}) from stdin (format csv, delimiter ';', encoding utf8)`;
  const copy = client.query(copyFrom(text));
  await pipeline(batches, copy);
  if (copy.rowCount < LARGE_ROWS) return copy.rowCount;
  // Without a row count, Postgres plans for a handful of records. A small sample suffices for the row count.
  // The sample size is local to the transaction: later steps in the session need a larger sample.
  await client.query(
    `begin; set local default_statistics_target = 1; analyze ${table} (file_no, line); commit`,
  );
  return copy.rowCount;
}

/** Collects lines for `copyBatches` between two batches. */
export class CopyLines {
  #bytes = Buffer.allocUnsafeSlow(256 * 1024);
  #length = 0;

  /** Returns the length of the collected lines, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a line of `prefix` and the bytes of a record whose fields need no parser. */
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

  /** Adds text to a line without quoting it. */
  addText(text: string): void {
    // A UTF-16 unit takes at most three bytes of UTF-8.
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Adds data[start, end) to a line without quoting it. */
  addBytes(data: Uint8Array, start = 0, end = data.length): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let length = this.#length;
    // A loop copies a few bytes faster than `set`.
    for (let at = start; at < end; at += 1) bytes[length++] = data[at]!;
    this.#length = length;
  }

  /** Returns the collected lines in a buffer that is not used again: COPY may still be sending it. */
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

/** Joins the fields of a COPY line with semicolons, and quotes a field where that is necessary. */
export function joinFields(fields: readonly string[]): string {
  return fields.map((field) => quoteField(field, ';')).join(';');
}

/** Returns a field for CSV, quoted by RFC 4180 if necessary. */
export function quoteField(field: string, separator: Separator): string {
  return field.includes(separator) || /["\r\n]/.test(field)
    ? `"${field.replaceAll('"', '""')}"`
    : field;
}
