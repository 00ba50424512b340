import { escapeIdentifier, type PoolClient } from 'pg';
import { inSession, isThere } from '../../sql/connection/database.ts';
import { KnownFingerprints } from './known-fingerprints.ts';
import type { Staging } from './staging.ts';

/** The number of table pages that one query reads: 32 megabytes, of which fingerprints are a fiftieth. */
const PIECE_PAGES = 4096;

/**
 * Loads the fingerprints of the entries of a source's newest snapshot. Saves the ids of entries without a fingerprint
 * to `stage.missing_entry`, so that the night compares these entries with the records of today's dump.
 */
export async function loadYesterday(
  { pool, stage }: Pick<Staging, 'pool' | 'stage'>,
  source: string,
  piece_pages = PIECE_PAGES,
): Promise<KnownFingerprints> {
  return inSession(pool, async (client) => {
    // The query reads the partition of this source, because checking the source of each row takes a third of the time.
    const table = `registry.${escapeIdentifier(`entry_${source}`)}`;
    if (!(await isThere(client, table))) return new KnownFingerprints();
    const load = async (count: string) => {
      // A parallel query would take longer, because its processes send the rows to each other.
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
        // The empty handler prevents an unhandled rejection, if another error occurs before `piece` is awaited.
        piece.catch(() => undefined);
        return piece;
      };
      let next = readNext(0);
      for (let page = 0; page < rows[0]!.pages; page += piece_pages) {
        const { unread, prints } = await next;
        // The database reads the next piece while this process adds the current piece to `known`.
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
    // The number of entries is estimated first, because counting the entries takes almost as long as reading them.
    const estimate = `select reltuples from pg_class where oid = '${table}'::regclass`;
    return (await load(estimate)) ?? (await load(`select count(*) from ${table}`))!;
  });
}

/** Returns the fingerprints in some pages of a table, and the ids of entries without a fingerprint as an SQL array. */
async function readPiece(client: PoolClient, table: string, page: number, end: number) {
  // The query returns all fingerprints in one row, because Node takes twice as long for a row per fingerprint.
  const { rows } = await client.query<{ unread: string; prints: Buffer }>(
    `select
       coalesce(array_agg(entry_id) filter (where fingerprint is null), '{}')::text as unread,
       coalesce(string_agg(int8send(fingerprint), ''), '') as prints
     from ${table}
     where gone_date is null and ctid >= '(${page}, 0)' and ctid < '(${end}, 0)'`,
  );
  return rows[0]!;
}
