import { readdir } from 'node:fs/promises';
import { type Database, runFile } from '../../sql/database.ts';

const folder = new URL('../../sql/verify/', import.meta.url);

/**
 * Proves from the tables alone that what is published of a source is whole: runs every query of
 * `sql/verify`, in one snapshot of the database.
 *
 * @returns a sentence for each contradiction; none when all agrees
 */
export async function verify(db: Database, source: string): Promise<string[]> {
  const client = await db.pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const findings: string[] = [];
    for (const file of (await readdir(folder)).toSorted()) {
      const results = await runFile(client, `verify/${file}`, [source]);
      for (const { rows } of results) {
        findings.push(...(rows as { finding: string }[]).map(({ finding }) => finding));
      }
    }
    await client.query('commit');
    client.release();
    return findings;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
