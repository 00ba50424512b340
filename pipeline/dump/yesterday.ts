import { buffer } from 'node:stream/consumers';
import { escapeLiteral, type Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { inSession } from '../../sql/database.ts';

/** The entries that a source showed last time, in no order, in the byte order of the network. */
export interface YesterdaysEntries {
  /** Eight bytes an entry; zero: its record must be read again. */
  fingerprints: Buffer;
  /** The place of its row, six bytes an entry: the numbers of the page and of the row in it. */
  places: Buffer;
}

/** No entries: every record is read. */
export const noEntries: YesterdaysEntries = {
  fingerprints: Buffer.alloc(0),
  places: Buffer.alloc(0),
};

/** What precedes the fields of the only row of a binary COPY: signature, flags and number of fields. */
const HEADER_BYTES = 11 + 4 + 4 + 2;

/**
 * Loads the fingerprints of the entries that a source showed last time. A place is valid until the row is
 * updated, such as by another source that joins companies: sql/nightly/1_read/moved.sql notices it.
 */
export async function loadYesterday(pool: Pool, source: string): Promise<YesterdaysEntries> {
  return inSession(pool, async (client) => {
    // COPY sends bytes as such, a query in hexadecimal.
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
