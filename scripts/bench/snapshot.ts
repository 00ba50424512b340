// Snapshots under load, each read, charged and answered.
// Alone: node scripts/bench/snapshot.ts <database with a country>
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { connect } from '../../sql/database.ts';
import { openKysely } from '../../sql/kysely.ts';
import { compare, createTokens, type Measurement } from './load.ts';
import { startServer } from './server-process.ts';

const leastShare = 0.4;

/** The NIPs of so many companies, from all over the country. */
async function drawNips(pool: Pool, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ nip: string }>(
    `select nip
     from registry.company
     where nip is not null and merged_into_id is null
     order by hashint8(company_id)
     limit $1`,
    [count],
  );
  return rows.map(({ nip }) => nip);
}

/**
 * Measures `POST /companies/snapshot` of the API, a process of its own, in a country that is loaded,
 * against a bare server on the same database that does one indexed read.
 */
export async function benchSnapshot(databaseUrl: string): Promise<Measurement[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'registry-bench-'));
  const db = await connect({ databaseUrl, dataDir, applicationName: 'registry-bench' });
  const variables = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    TRUST_PROXY: 'loopback',
    // The welcome bonus has to last.
    SNAPSHOT_CREDITS: '1',
  };
  const servers = [];
  try {
    const tokens = await createTokens(openKysely(db.pool));
    const nips = await drawNips(db.pool, tokens.flat().length);
    const bodies = new Map(
      tokens.flat().map((token, at) => {
        return [token, { identifier_type: 'NIP', identifier_value: nips[at % nips.length] }];
      }),
    );
    await db.pool.query('vacuum analyze customer.account, customer.token, customer.wallet');
    const api = await startServer('../../api/main.ts', variables);
    servers.push(api);
    const bare = await startServer('bare-server.ts', variables);
    servers.push(bare);
    const url = `${api.url}/api/v1/companies/snapshot`;
    const targets = {
      api: { url, method: 'POST' as const, tokens, bodies },
      bare: { url: bare.url, method: 'POST' as const, tokens, bodies },
    };
    return [await compare('POST /companies/snapshot', targets, leastShare)];
  } finally {
    for (const server of servers) await server.stop();
    await db.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const measurements = await benchSnapshot(process.argv[2] ?? '');
  for (const { name, measured, limit, holds } of measurements) {
    process.stdout.write(`${name}\n  ${measured}\n  ${limit}: ${holds ? 'holds' : 'FAILS'}\n`);
  }
}
