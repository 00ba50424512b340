// Snapshots under load, each read, charged and answered.
import type { Pool } from 'pg';
import { compare, requestOf } from './load.ts';
import type { Setting } from './setting.ts';

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
export async function benchSnapshot(setting: Setting): Promise<void> {
  const { db, tokens, startApi, startBare } = setting;
  const nips = await drawNips(db.pool, tokens.length);
  const requests = tokens.map((token, at) => {
    const identifier_value = nips[at % nips.length];
    return requestOf('POST', token, { identifier_type: 'NIP', identifier_value });
  });
  const urls = { api: `${await startApi()}/api/v1/companies/snapshot`, bare: await startBare() };
  await compare('POST /companies/snapshot', urls, requests, leastShare);
}
