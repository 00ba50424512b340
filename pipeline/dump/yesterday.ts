import { escapeIdentifier, type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { inSession, isThere } from '../../sql/connection/database.ts';
import { KnownFingerprints } from './known-fingerprints.ts';
import type { Staging } from './staging.ts';

/** Pages of a table that are read at a time: 32 megabytes, of which fingerprints are a fiftieth. */
const PIECE_PAGES = 4096;
/** The bytes of a binary COPY before its only row: signature, flags, extension and number of fields. */
const HEADER_BYTES = 11 + 4 + 4 + 2;
const LENGTH_BYTES = 4;

/**
 * Loads the fingerprints of the last snapshot of a source. Entries without one, whose record must be read
 * again, go to `missing_entry`.
 */
export async function loadYesterday(
  { pool, stage }: Pick<Staging, 'pool' | 'stage'>,
  source: string,
  piece_pages = PIECE_PAGES,
): Promise<KnownFingerprints> {
  return inSession(pool, async (client) => {
    // The table of the source itself: to compare the source of each row costs a third of the time.
    const table = `registry.${escapeIdentifier(`entry_${source}`)}`;
    if (!(await isThere(client, table))) return new KnownFingerprints();
    const load = async (count: string) => {
      // Processes that send each other what they have read take longer.
      await client.query(
        'begin isolation level repeatable read; set local max_parallel_workers_per_gather = 0',
      );
      const { rows } = await client.query<{ count: number; pages: number }>(
        `select
           (${count})::float8 as count,
           pg_relation_size('${table}') / current_setting('block_size')::float8 as pages`,
      );
      const known = new KnownFingerprints(Math.max(rows[0]!.count, 0));
      const readNext = (page: number) => {
        const piece = readPiece(client, table, page, page + piece_pages);
        // Another error may come before its own is looked at.
        piece.catch(() => undefined);
        return piece;
      };
      let next = readNext(0);
      for (let page = 0; page < rows[0]!.pages; page += piece_pages) {
        const [unread, prints] = await next;
        // The server reads the next piece while this one is learnt.
        next = readNext(page + piece_pages);
        if (!known.learn(prints)) {
          await next;
          await client.query('rollback');
          return undefined;
        }
        if (unread !== '{}') {
          const save = `insert into ${stage}.missing_entry (entry_id) select unnest($1::bigint[])`;
          await client.query(save, [unread]);
        }
      }
      await client.query('commit');
      return known;
    };
    // To count them takes almost as long as to read them.
    const estimate = `select reltuples from pg_class where oid = '${table}'::regclass`;
    return (await load(estimate)) ?? (await load(`select count(*) from ${table}`))!;
  });
}

/** Of some pages: an array of the entries without a fingerprint, and the fingerprints of the others. */
async function readPiece(
  client: PoolClient,
  table: string,
  page: number,
  end: number,
): Promise<[string, Buffer]> {
  // Two fields: a row for each fingerprint would take Node twice the time.
  const copy = copyTo(
    `copy (
       select
         coalesce(array_agg(entry_id) filter (where fingerprint is null), '{}')::text,
         coalesce(string_agg(int8send(fingerprint), ''), '')
       from ${table}
       where gone_date is null and ctid >= '(${page}, 0)' and ctid < '(${end}, 0)'
     ) to stdout (format binary)`,
  );
  const piece = Buffer.concat((await client.query(copy).toArray()) as Buffer[]);
  const readField = (at: number) =>
    piece.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + piece.readUInt32BE(at));
  const unread = readField(HEADER_BYTES);
  return [unread.toString(), readField(HEADER_BYTES + LENGTH_BYTES + unread.length)];
}
