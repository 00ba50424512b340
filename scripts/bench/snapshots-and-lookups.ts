// Measures the rate of company snapshots that the API serves under load, and the times of its lookups.
import type { Database } from '../../sql/connection/database.ts';
import { askInTurn, compare, judgeAnswers, requestOf } from './load.ts';
import type { Setting } from './setting.ts';

/** The minimum number of snapshots per second, as a share of the answers per second of the bare server. */
const leastShare = 0.35;
/** The number of lookups (the second half is measured), of companies in each, and the limit of the median. */
const [lookupCount, numberCount, longestLookup_ms] = [200, 100, 15];

/** Returns NIPs of companies all over the country, in a pseudo-random order, with repetitions in a small country. */
async function pickNips({ pool }: Database, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ nip: string }>(
    `select nip from analyst.company where nip is not null order by hashint8(company_id) limit $1`,
    [count],
  );
  return Array.from({ length: count }, (_, at) => rows[at % rows.length]!.nip);
}

const byNip = (identifier_value: string) => ({ identifier_type: 'NIP', identifier_value });

/** Compares charged snapshots per second with the answers per second of the bare server (one indexed read each). */
export async function benchSnapshot({ db, tokens, startApi, startBare }: Setting): Promise<void> {
  const nips = await pickNips(db, tokens.length);
  const requests = tokens.map((token, at) => requestOf('POST', token, byNip(nips[at]!)));
  const urls = { api: `${await startApi()}/api/v1/companies/snapshot`, bare: await startBare() };
  await compare('POST /companies/snapshot', urls, requests, leastShare);
}

/** Measures the times of successive lookups, each of 100 companies all over the country. */
export async function benchLookup({ db, tokens, startApi }: Setting): Promise<void> {
  const identifiers = (await pickNips(db, lookupCount * numberCount)).map(byNip);
  const bodies = Array.from({ length: lookupCount }, () => ({
    identifiers: identifiers.splice(0, numberCount),
  }));
  const paths = bodies.map(() => '/companies/lookup');
  const answers = await askInTurn(await startApi(), paths, tokens, bodies);
  const measured = answers.slice(lookupCount / 2);
  judgeAnswers(`Lookups of ${numberCount} numbers`, measured, { p50: longestLookup_ms });
}
