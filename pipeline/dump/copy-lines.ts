import { pipeline } from 'node:stream/promises';
import { escapeIdentifier, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Separator } from '../sources/source.ts';

const LINE_FEED = 10;

/** The number of copied rows from which a table is analyzed, so that PostgreSQL has statistics for query plans. */
export const LARGE_ROWS = 500;

/**
 * Copies batches of lines into a table; an empty field becomes null. Analyzes the table after many rows.
 *
 * @returns the number of copied rows
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
  // Without statistics, PostgreSQL's plans assume a handful of rows. A small sample suffices to estimate the row count.
  // The sample size is set for one transaction, since later steps of the session need a larger sample.
  await client.query(
    `begin; set local default_statistics_target = 1; analyze ${table} (file_no, line); commit`,
  );
  return copy.rowCount;
}

/** Collects COPY lines in a buffer, until `take` returns them as the next batch for `copyBatches`. */
export class CopyLines {
  #bytes = Buffer.allocUnsafeSlow(256 * 1024);
  #length = 0;

  /** Returns the total length of the collected lines, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds a line: `prefix`, then the unchanged bytes data[start, end) of a record. */
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

  /** Adds `text` to the current line unchanged, without quotes. */
  addText(text: string): void {
    // One UTF-16 code unit, which `length` counts, takes at most three bytes of UTF-8.
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Adds the bytes data[start, end) to the current line unchanged, without quotes. */
  addBytes(data: Uint8Array, start = 0, end = data.length): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let length = this.#length;
    // For few bytes, this loop is faster than `Buffer.set`.
    for (let at = start; at < end; at += 1) bytes[length++] = data[at]!;
    this.#length = length;
  }

  /** Returns the collected COPY lines. The returned buffer is not reused, since COPY may still read this buffer. */
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

/** Joins the fields of a COPY line with semicolons, and quotes each field that needs quotes. */
export function joinFields(fields: readonly string[]): string {
  return fields.map((field) => quoteField(field, ';')).join(';');
}

/** Returns a field as CSV: in quotes, as RFC 4180 specifies, if the field needs quotes (`a"b` → `"a""b"`). */
export function quoteField(field: string, separator: Separator): string {
  return field.includes(separator) || /["\r\n]/.test(field)
    ? `"${field.replaceAll('"', '""')}"`
    : field;
}
