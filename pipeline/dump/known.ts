import type { Pool, PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { CopyIn } from './copy-in.ts';
import { type KnownRecords, Prints } from './known-records.ts';
import { settle } from '../night/session.ts';

/** Bytes before the value of binary COPY of one field: signature, flags, length of the extension, … */
const COPY_HEADER_BYTES = 19;
/** … count of the fields, length of the field. */
const TUPLE_HEADER_BYTES = 6;
/** The table is read in stretches, so that several sessions share it. */
const STRETCH_PAGES = 2000;
/** Sessions that read stretches side by side. */
const SESSIONS = 3;

/**
 * Loads the fingerprints of the entries that the source showed last time, in sessions of its own.
 *
 * @param stretch_pages pages of the table that are read at a time
 */
export async function loadPrints(
  pool: Pool,
  source: string,
  stretch_pages = STRETCH_PAGES,
): Promise<Prints> {
  const prints = new Prints();
  const partition = await findPartition(pool, source);
  if (!partition) return prints;
  const stretches = cut(partition.page_count, stretch_pages);
  const read = async () => {
    if (stretches.length === 0) return;
    const client = await pool.connect();
    try {
      for (let next = stretches.shift(); next; next = stretches.shift()) {
        prints.addAll(await readPrints(client, partition, next));
      }
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
  };
  await settle(Array.from({ length: SESSIONS }, read));
  return prints;
}

interface Partition {
  /** Its name, as it is written in a statement. */
  name: string;
  page_count: number;
}

/** The partition of a source, asked by its name: no key need be compared with that of the source. */
async function findPartition(pool: Pool, source: string): Promise<Partition | undefined> {
  const { rows } = await pool.query<Partition>(
    `select
       relid::text as name,
       (pg_relation_size(relid) / current_setting('block_size')::integer)::integer as page_count
     from pg_partition_tree('registry.entry_key')
     join pg_class on pg_class.oid = relid
     where isleaf and pg_get_expr(relpartbound, relid) = format('FOR VALUES IN (%L)', $1::text)`,
    [source],
  );
  return rows[0];
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

async function readPrints(
  client: PoolClient,
  { name }: Partition,
  { from, to }: Stretch,
): Promise<Uint8Array> {
  // One large value: a row for each fingerprint costs more than the fingerprint itself.
  const copy = client.query(
    copyTo(`copy (
      select coalesce(string_agg(int8send(fingerprint), ''), '')
      from ${name}
      where
        fingerprint is not null
        and ctid >= '(${from},0)'
        and ctid < '(${to},0)'
    ) to stdout (format binary)`),
  );
  const bytes = Buffer.concat((await copy.toArray()) as Buffer[]);
  const start = COPY_HEADER_BYTES + TUPLE_HEADER_BYTES;
  return bytes.subarray(start, start + bytes.readInt32BE(start - 4));
}

/** Sends the fingerprints that no record of today has to `stage.unmet`. */
export async function sendUnmet(client: PoolClient, known: KnownRecords): Promise<void> {
  const copy = new CopyIn(client, 'copy stage.unmet (fingerprint) from stdin');
  let lines: string[] = [];
  for (const fingerprint of known.unmet()) {
    lines.push(`${fingerprint}\n`);
    if (lines.length >= 10_000) {
      await copy.write(lines.join(''));
      lines = [];
    }
  }
  await copy.write(lines.join(''));
  await copy.end();
}
