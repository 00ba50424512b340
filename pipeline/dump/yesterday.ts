import { escapeLiteral } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { inSession, type Sessions } from '../../sql/connection/database.ts';
import { KnownFingerprints } from './known-fingerprints.ts';

/** The bytes of a binary COPY before its only field: signature, flags, extension, number of fields, length. */
const HEADER_BYTES = 11 + 4 + 4 + 2 + 4;
const FINGERPRINT_BYTES = 8;

/** Loads the fingerprints of the last snapshot of a source. */
export async function loadYesterday(pool: Sessions, source: string): Promise<KnownFingerprints> {
  return inSession(pool, async (client) => {
    const standing = `from registry.entry
      where entry.source = ${escapeLiteral(source)} and entry.gone_date is null`;
    // An entry that loses its fingerprint meanwhile still counts as one that has it.
    await client.query('begin isolation level repeatable read');
    const { rows } = await client.query<{ count: string; unread_ids: string[] }>(
      `select
         count(entry.fingerprint),
         coalesce(array_agg(entry.entry_id) filter (where entry.fingerprint is null), '{}')
           as unread_ids
       ${standing}`,
    );
    const { count, unread_ids } = rows[0]!;
    const known = new KnownFingerprints(Number(count), unread_ids);
    const rest = new RowReader(known);
    // One field of raw bytes: a row for each fingerprint would cost twice the time.
    const copy = client.query(
      copyTo(
        `copy (
           select string_agg(int8send(entry.fingerprint), '')
           ${standing} and entry.fingerprint is not null
         ) to stdout (format binary)`,
      ),
    );
    for await (const chunk of copy) rest.write(chunk as Buffer);
    await client.query('commit');
    return known;
  });
}

/** Teaches the fingerprints of a binary COPY, wherever its chunks end. */
class RowReader {
  readonly #known: KnownFingerprints;
  #skipped = 0;
  #length = 0;

  constructor(known: KnownFingerprints) {
    this.#known = known;
  }

  write(chunk: Buffer): void {
    const { area } = this.#known.memory;
    let at = Math.min(HEADER_BYTES - this.#skipped, chunk.length);
    this.#skipped += at;
    while (at < chunk.length) {
      const length = chunk.copy(area, this.#length, at);
      at += length;
      this.#length += length;
      // The trailer, of two bytes, is never a whole fingerprint.
      const end = this.#length - (this.#length % FINGERPRINT_BYTES);
      this.#known.learn(0, end);
      area.copyWithin(0, end, this.#length);
      this.#length -= end;
    }
  }
}
