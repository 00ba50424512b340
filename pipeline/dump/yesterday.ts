import { buffer } from 'node:stream/consumers';
import { escapeLiteral } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { inSession, type Sessions } from '../../sql/connection/database.ts';

/** The entries of the last snapshot of a source, in no order. Numbers are big-endian. */
export interface YesterdaysEntries {
  /** Eight bytes per entry. Zero: the record of the entry must be read again. */
  fingerprints: Buffer;
  /** The ctid of each row, six bytes per entry: the number of the page, and of the row in the page. */
  places: Buffer;
}

/** No entries: every record is read. */
export const noEntries: YesterdaysEntries = {
  fingerprints: Buffer.alloc(0),
  places: Buffer.alloc(0),
};

/** The bytes before the fields of the only row: signature, flags, extension and number of fields. */
const HEADER_BYTES = 11 + 4 + 4 + 2;

/**
 * Loads the entries of the last snapshot of a source. A ctid is valid until its row is updated, for
 * example when another source merges companies: sql/nightly/1_read/moved.sql detects this.
 */
export async function loadYesterday(pool: Sessions, source: string): Promise<YesterdaysEntries> {
  return inSession(pool, async (client) => {
    // A binary COPY sends raw bytes; a query would send hexadecimal text.
    const copy = client.query(
      copyTo(
        `copy (
           select
             string_agg(int8send(coalesce(entry.fingerprint, 0)), ''),
             string_agg(tidsend(entry.ctid), '')
           from registry.entry
           where entry.source = ${escapeLiteral(source)} and entry.gone_date is null
         ) to stdout (format binary)`,
      ),
    );
    const bytes = await buffer(copy);
    const length = bytes.readInt32BE(HEADER_BYTES);
    if (length < 0) return noEntries;
    const end = HEADER_BYTES + 4 + length;
    return {
      fingerprints: bytes.subarray(HEADER_BYTES + 4, end),
      places: bytes.subarray(end + 4, end + 4 + bytes.readInt32BE(end)),
    };
  });
}
