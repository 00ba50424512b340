import { readdir } from 'node:fs/promises';
import type { Pool } from 'pg';
import { inSnapshot, queryFile } from '../../sql/connection/database.ts';

const folder = new URL('../../sql/verify/', import.meta.url);

/** Returns a sentence for each contradiction that queries of `sql/verify` find in a source's published data. */
export async function verify({ pool }: { pool: Pool }, source: string): Promise<string[]> {
  return inSnapshot(pool, async (client) => {
    const findings: string[] = [];
    for (const file of (await readdir(folder)).toSorted()) {
      const rows = await queryFile<{ finding: string }>(client, `verify/${file}`, [source]);
      findings.push(...rows.map(({ finding }) => finding));
    }
    return findings;
  });
}
