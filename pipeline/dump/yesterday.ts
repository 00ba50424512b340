import { escapeIdentifier } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { inSession, isThere, type Sessions } from '../../sql/connection/database.ts';
import { KnownFingerprints } from './known-fingerprints.ts';

/** The bytes of a binary COPY before its only row: signature, flags, extension and number of fields. */
const HEADER_BYTES = 11 + 4 + 4 + 2;
const LENGTH_BYTES = 4;
const NUMBER_BYTES = 8;

/** Loads the fingerprints of the last snapshot of a source. */
export async function loadYesterday(pool: Sessions, source: string): Promise<KnownFingerprints> {
  return inSession(pool, async (client) => {
    // The table of the source itself: to compare the source of each row costs a third of the statement.
    const table = `registry.${escapeIdentifier(`entry_${source}`)}`;
    if (!(await isThere(client, table))) return new KnownFingerprints();
    // Two fields of raw bytes: a row for each fingerprint would cost twice the time, and so do processes
    // that send each other what they have read.
    await client.query('begin; set local max_parallel_workers_per_gather = 0');
    const copy = client.query(
      copyTo(
        `copy (
           select
             coalesce(
               string_agg(int8send(entry.entry_id), '') filter (where entry.fingerprint is null), ''
             ),
             coalesce(string_agg(int8send(entry.fingerprint), ''), '')
           from ${table} as entry
           where entry.gone_date is null
         ) to stdout (format binary)`,
      ),
    );
    const reader = new RowReader();
    for await (const chunk of copy) reader.write(chunk as Buffer);
    await client.query('commit');
    return reader.known!;
  });
}

/** Reads the row of a binary COPY, wherever its chunks end: ids of unread entries, then fingerprints. */
class RowReader {
  known: KnownFingerprints | undefined;
  /** What is not read yet; of fingerprints it lies in the area. */
  #rest: Buffer = Buffer.alloc(0);
  #length = 0;

  write(chunk: Buffer): void {
    if (this.known) return this.#teach(this.known, chunk);
    this.#rest = Buffer.concat([this.#rest, chunk]);
    this.known = this.#begin();
    if (this.known) this.#teach(this.known, this.#rest);
  }

  /** @returns undefined when more bytes are needed */
  #begin(): KnownFingerprints | undefined {
    const bytes = this.#rest;
    const start = HEADER_BYTES + LENGTH_BYTES;
    if (bytes.length < start) return undefined;
    const end = start + bytes.readUInt32BE(HEADER_BYTES);
    if (bytes.length < end + LENGTH_BYTES) return undefined;
    const count = bytes.readUInt32BE(end) / NUMBER_BYTES;
    const unread_ids = Array.from({ length: (end - start) / NUMBER_BYTES }, (_, at) =>
      String(bytes.readBigInt64BE(start + at * NUMBER_BYTES)),
    );
    this.#rest = bytes.subarray(end + LENGTH_BYTES);
    return new KnownFingerprints(count, unread_ids);
  }

  #teach(known: KnownFingerprints, chunk: Buffer): void {
    const { area } = known.memory;
    for (let at = 0; at < chunk.length;) {
      const length = chunk.copy(area, this.#length, at);
      at += length;
      this.#length += length;
      // The trailer, of two bytes, is never a whole fingerprint.
      const end = this.#length - (this.#length % NUMBER_BYTES);
      known.learn(0, end);
      area.copyWithin(0, end, this.#length);
      this.#length -= end;
    }
  }
}
