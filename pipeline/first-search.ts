import pLimit from 'p-limit';
import type { Pool, PoolClient } from 'pg';
import { runFile } from '../sql/database.ts';
import { settle } from './first-snapshot.ts';

/** Sessions that make indexes side by side; those that load the entries need the others. */
const PARALLEL_INDEXES = 3;

/** Whether no company is known yet, so that the table of the search can be made beside the readers. */
export async function isSearchEmpty(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ is_empty: boolean }>(
    'select not exists (select from registry.search) as is_empty',
  );
  return rows[0]!.is_empty;
}

/**
 * Loads what is to become the table of the search, beside what readers see.
 * `nightly/baseline/attach_search.sql` makes it visible.
 *
 * @param configure prepares a session for large statements
 */
export async function loadSearch(
  pool: Pool,
  configure: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const run = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    try {
      await configure(client);
      return await work(client);
    } finally {
      client.release(true);
    }
  };
  const definitions = await run(async (client) => {
    await runFile(client, 'nightly/baseline/load_search.sql');
    const [result] = await runFile(client, 'nightly/baseline/search_index.sql', []);
    return (result!.rows as { definition: string }[]).map(({ definition }) => definition);
  });
  const limit = pLimit(PARALLEL_INDEXES);
  await settle(
    definitions.map((definition) => limit(() => run((client) => client.query(definition)))),
  );
}
