import pLimit from 'p-limit';
import type { Pool, PoolClient } from 'pg';
import { runFile } from '../sql/database.ts';

/** Each partitioned table, loaded into `stage.first_<name>`; those that every night reads whole. */
const TABLES = [
  { table: 'entry', isReadWhole: false },
  { table: 'entry_key', isReadWhole: true },
];

/**
 * Sessions that load and index side by side. Whoever waits for one of the pool gives up after a
 * while, and an index of millions of entries takes longer than that: there have to be enough left.
 */
const PARALLEL_SESSIONS = 4;

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
  const limit = pLimit(PARALLEL_SESSIONS);
  const run = (work: (client: PoolClient) => Promise<unknown>) =>
    limit(async () => {
      const client = await pool.connect();
      try {
        await configure(client);
        await work(client);
      } finally {
        client.release(true);
      }
    });
  const load = async ({ table, isReadWhole }: (typeof TABLES)[number]) => {
    await run((client) => runFile(client, `nightly/baseline/load_${table}.sql`));
    const statements = await readDefinitions(pool, table);
    // The first look at a row that was loaded in bulk has to mark it as committed.
    if (isReadWhole) statements.push(`vacuum (analyze) stage.first_${table}`);
    await settle(statements.map((statement) => run((client) => client.query(statement))));
  };
  await settle([...TABLES.map(load), run((client) => runFile(client, 'nightly/4b_new_sum.sql'))]);
}

/**
 * Waits for all, also when one fails: nobody may still write when the others are given up. Of
 * several errors it throws that of the first task in the list.
 */
export async function settle<Tasks extends readonly Promise<unknown>[]>(
  tasks: readonly [...Tasks],
): Promise<{ [Place in keyof Tasks]: Awaited<Tasks[Place]> }> {
  const results = await Promise.allSettled(tasks);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return Promise.all(tasks);
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
