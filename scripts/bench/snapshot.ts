// Measures snapshots under load, each read, charged and answered, against one indexed read.
import { compare, requestOf } from './load.ts';
import type { Setting } from './setting.ts';

const leastShare = 0.35;

export async function benchSnapshot(setting: Setting): Promise<void> {
  const { db, tokens, startApi, startBare } = setting;
  // The hash order picks companies from all over the country.
  const { rows } = await db.pool.query<{ nip: string }>(
    `select nip from analyst.company where nip is not null order by hashint8(company_id) limit $1`,
    [tokens.length],
  );
  const requests = tokens.map((token, at) => {
    const identifier_value = rows[at % rows.length]!.nip;
    return requestOf('POST', token, { identifier_type: 'NIP', identifier_value });
  });
  const urls = { api: `${await startApi()}/api/v1/companies/snapshot`, bare: await startBare() };
  await compare('POST /companies/snapshot', urls, requests, leastShare);
}
