// Snapshots under load, each read, charged and answered.
// By itself: node scripts/bench/snapshot.ts <database with a country>
import type { Pool } from 'pg';
import { compare, createTokens } from './load.ts';
import { benchAlone, type Measurement, withSetting } from './setting.ts';

const leastShare = 0.35;

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
export function benchSnapshot(databaseUrl: string): Promise<Measurement[]> {
  return withSetting(databaseUrl, async ({ db, kysely, startApi, startBare }) => {
    const tokens = await createTokens(kysely);
    const nips = await drawNips(db.pool, tokens.flat().length);
    const bodies = new Map(
      tokens.flat().map((token, at) => {
        return [token, { identifier_type: 'NIP', identifier_value: nips[at % nips.length] }];
      }),
    );
    await db.pool.query('vacuum analyze customer.account, customer.token, customer.wallet');
    const url = `${await startApi()}/api/v1/companies/snapshot`;
    const targets = {
      api: { url, method: 'POST' as const, tokens, bodies },
      bare: { url: await startBare(), method: 'POST' as const, tokens, bodies },
    };
    return [await compare('POST /companies/snapshot', targets, leastShare)];
  });
}

if (import.meta.main) await benchAlone(benchSnapshot);
