import { finished } from 'node:stream/promises';
import { escapeLiteral, type Pool, type PoolClient } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { KnownRecords } from './fingerprint.ts';
import { settle } from './night-session.ts';

/** Bytes before the first tuple of binary COPY: signature, flags, length of the extension. */
const COPY_HEADER_BYTES = 19;
/** Bytes before the value of a tuple of one field: count of the fields, length of the field. */
const TUPLE_HEADER_BYTES = 6;
const FINGERPRINT_BYTES = 8;
/** The table is read in stretches: while one is added, the server is at the next ones. */
const STRETCH_PAGES = 2000;
/** Sessions that read stretches side by side. */
const SESSIONS = 3;

/**
 * Loads the fingerprints of the entries that the source showed last time, in sessions of its own.
 *
 * @param expected_count about how many there are
 * @param stretch_pages pages of the table that are read at a time
 */
export async function loadKnown(
  pool: Pool,
  source: string,
  expected_count: number,
  stretch_pages = STRETCH_PAGES,
): Promise<KnownRecords> {
  const known = new KnownRecords(expected_count);
  const stretches = cut(await countPages(pool), stretch_pages);
  const read = async () => {
    if (stretches.length === 0) return;
    const client = await pool.connect();
    try {
      for (let next = stretches.shift(); next; next = stretches.shift()) {
        await addAll(known, client, source, next);
      }
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
  };
  await settle(Array.from({ length: SESSIONS }, read));
  return known;
}

/** How many pages the largest partition has; what is beyond the end of another one is empty. */
async function countPages(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ page_count: number }>(
    `select (max(pg_relation_size(relid)) / current_setting('block_size')::integer)::integer
       as page_count
     from pg_partition_tree('registry.entry_key')
     where isleaf`,
  );
  return rows[0]!.page_count;
}

/** From one page up to, but without, another one. */
interface Stretch {
  from: number;
  to: number;
}

function cut(page_count: number, stretch_pages: number): Stretch[] {
  return Array.from({ length: Math.ceil(page_count / stretch_pages) }, (_, at) => ({
    from: at * stretch_pages,
    to: (at + 1) * stretch_pages,
  }));
}

async function addAll(
  known: KnownRecords,
  client: PoolClient,
  source: string,
  { from, to }: Stretch,
): Promise<void> {
  // One large value: a row for each fingerprint costs more than the fingerprint itself.
  const copy = client.query(
    copyTo(`copy (
      select coalesce(string_agg(int8send(fingerprint), ''), '')
      from registry.entry_key
      where
        source = ${escapeLiteral(source)}
        and fingerprint is not null
        and ctid >= '(${from},0)'
        and ctid < '(${to},0)'
    ) to stdout (format binary)`),
  );
  let skip = COPY_HEADER_BYTES + TUPLE_HEADER_BYTES;
  let left = -1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    if (left < 0 && data.length >= skip) {
      left = data.readInt32BE(skip - 4);
      data = data.subarray(skip);
      skip = 0;
    }
    const used = addWhole(known, data, left);
    left -= Math.max(0, used);
    rest = data.subarray(used);
  }
}

/** @returns how many bytes of the value were used; a fingerprint may be cut by the end of the data */
function addWhole(known: KnownRecords, data: Buffer, left: number): number {
  const end = Math.min(data.length, left) - FINGERPRINT_BYTES;
  let at = 0;
  for (; at <= end; at += FINGERPRINT_BYTES) {
    known.add(data.readInt32BE(at), data.readInt32BE(at + 4));
  }
  return at;
}

/** Sends the fingerprints that no record of today has to `stage.unmet`. */
export async function sendUnmet(client: PoolClient, known: KnownRecords): Promise<void> {
  const copy = client.query(copyFrom('copy stage.unmet (fingerprint) from stdin'));
  let lines: string[] = [];
  for (const fingerprint of known.unmet()) {
    lines.push(`${fingerprint}\n`);
    if (lines.length >= 10_000) {
      const text = lines.join('');
      lines = [];
      if (!copy.write(text)) await new Promise((resolve) => copy.once('drain', resolve));
    }
  }
  copy.end(lines.join(''));
  await finished(copy);
}
