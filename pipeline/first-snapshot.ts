import type { Pool, PoolClient } from 'pg';
import { runFile } from '../sql/database.ts';

/** Each partitioned table, loaded into `stage.first_<name>`; those that every night reads whole. */
const TABLES = [
  { table: 'entry', isReadWhole: false },
  { table: 'entry_key', isReadWhole: true },
];

/**
 * Loads what is to become the partitions of a source, beside what readers see: a session a table,
 * then one an index. `nightly/baseline/attach.sql` makes them visible.
 *
 * @param configure prepares a session for large statements
 */
export async function loadPartitions(
  pool: Pool,
  configure: (client: PoolClient) => Promise<void>,
): Promise<void> {
  const run = async (work: (client: PoolClient) => Promise<unknown>) => {
    const client = await pool.connect();
    try {
      await configure(client);
      await work(client);
    } finally {
      client.release(true);
    }
  };
  const load = async ({ table, isReadWhole }: (typeof TABLES)[number]) => {
    await run((client) => runFile(client, `nightly/baseline/load_${table}.sql`));
    await Promise.all([
      ...(await readDefinitions(pool, table)).map((definition) =>
        run((client) => client.query(definition)),
      ),
      // The first look at a row that was loaded in bulk has to mark it as committed.
      isReadWhole && run((client) => client.query(`vacuum (analyze) stage.first_${table}`)),
    ]);
  };
  await settle([...TABLES.map(load), run((client) => runFile(client, 'nightly/4b_new_sum.sql'))]);
}

/** Waits for all, also when one fails: nobody may still write when the others are given up. */
export async function settle(tasks: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(tasks);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function readDefinitions(pool: Pool, table: string): Promise<string[]> {
  const client = await pool.connect();
  try {
    const [result] = await runFile(client, 'nightly/baseline/index_definition.sql', [
      `registry.${table}`,
    ]);
    return (result!.rows as { definition: string }[]).map(({ definition }) => definition);
  } finally {
    client.release();
  }
}
